"""A stand-in for an OpenTelemetry collector: takes OTLP over HTTP and gRPC on 127.0.0.1 and prints what it is sent.

    collector.py [take | refuse | hang | hold]

The first line has the two ports. Each further line is a JSON object: a span, a metric or a log record, decoded with
the official protobuf classes, with the resource it belongs to; or a request that was refused or is kept waiting. Lines
on standard input change what it does, and `next` lets one of the requests through that it holds; it ends when that ends.
"""

import base64
import gzip
import json
import sys
import threading
from concurrent import futures
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import grpc
from google.protobuf import json_format
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2, logs_service_pb2_grpc
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2, metrics_service_pb2_grpc
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc
from opentelemetry.proto.logs.v1 import logs_pb2
from opentelemetry.proto.trace.v1 import trace_pb2

REQUESTS = {
    "/v1/traces": trace_service_pb2.ExportTraceServiceRequest,
    "/v1/metrics": metrics_service_pb2.ExportMetricsServiceRequest,
    "/v1/logs": logs_service_pb2.ExportLogsServiceRequest,
}


class Manner:
    """What is done with requests: they are taken, refused, or kept waiting until that changes."""

    def __init__(self, name):
        self.changed = threading.Condition()
        self.name = name
        self.let_through = 0

    def change(self, name):
        with self.changed:
            if name == "next":
                self.let_through += 1
            else:
                self.name = name
            self.changed.notify_all()

    def takes(self, over):
        with self.changed:
            if self.name != "take":
                tell({"signal": self.name, "over": over})
            self.changed.wait_for(lambda: self.name != "hang" and (self.name != "hold" or self.let_through > 0))
            if self.name == "hold":
                self.let_through -= 1
            return self.name != "refuse"


printing = threading.Lock()


def tell(what):
    with printing:
        print(json.dumps(what), flush=True)


def value_of(value):
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [value_of(each) for each in value.array_value.values]
    if kind == "bytes_value":
        return value.bytes_value.hex()
    return getattr(value, kind) if kind else None


def attributes_of(pairs):
    return {each.key: value_of(each.value) for each in pairs}


def span(each):
    return {
        "signal": "span",
        "name": each.name,
        "trace_id": each.trace_id.hex(),
        "span_id": each.span_id.hex(),
        "parent_id": each.parent_span_id.hex(),
        "kind": trace_pb2.Span.SpanKind.Name(each.kind).removeprefix("SPAN_KIND_"),
        "status": trace_pb2.Status.StatusCode.Name(each.status.code).removeprefix("STATUS_CODE_"),
        "status_text": each.status.message,
        "begin": each.start_time_unix_nano,
        "attributes": attributes_of(each.attributes),
        "events": [{"name": event.name, "attributes": attributes_of(event.attributes)} for event in each.events],
        "links": [
            {"trace_id": link.trace_id.hex(), "span_id": link.span_id.hex(), "attributes": attributes_of(link.attributes)}
            for link in each.links
        ],
    }


def point(each):
    kind = each.WhichOneof("value") if hasattr(each, "as_double") else None
    value = getattr(each, kind) if kind else each.count
    return {"attributes": attributes_of(each.attributes), "value": value}


def metric(each):
    kind = each.WhichOneof("data")
    points = [point(one) for one in getattr(each, kind).data_points]
    return {"signal": "metric", "name": each.name, "unit": each.unit, "kind": kind, "points": points}


def log_record(each):
    return {
        "signal": "log",
        "severity": logs_pb2.SeverityNumber.Name(each.severity_number).removeprefix("SEVERITY_NUMBER_"),
        "text": value_of(each.body),
        "trace_id": each.trace_id.hex(),
        "span_id": each.span_id.hex(),
        "attributes": attributes_of(each.attributes),
    }


PARTS = {
    "ExportTraceServiceRequest": ("resource_spans", "scope_spans", "spans", span),
    "ExportMetricsServiceRequest": ("resource_metrics", "scope_metrics", "metrics", metric),
    "ExportLogsServiceRequest": ("resource_logs", "scope_logs", "log_records", log_record),
}


def tell_of(request, over, headers):
    resources, scopes, items, describe = PARTS[request.DESCRIPTOR.name]
    for resource in getattr(request, resources):
        about = {"over": over, "headers": headers, "resource": attributes_of(resource.resource.attributes)}
        for scope in getattr(resource, scopes):
            for each in getattr(scope, items):
                tell({**describe(each), **about, "scope": scope.scope.name})


def ids_as_bytes(value):
    """OTLP's JSON has ids in hexadecimal digits, where the JSON of protobuf has them in base 64."""
    if isinstance(value, list):
        return [ids_as_bytes(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        name: base64.b64encode(bytes.fromhex(each)).decode() if name in ("traceId", "spanId", "parentSpanId") else ids_as_bytes(each)
        for name, each in value.items()
    }


class HttpHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if not self.server.manner.takes("http"):
            return self.answer(503)
        kind = REQUESTS.get(self.path)
        if kind is None:
            return self.answer(404)
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        as_json = self.headers["Content-Type"].startswith("application/json")
        headers = {name.lower(): value for name, value in self.headers.items()}
        tell_of(self.read_json(body, kind()) if as_json else kind.FromString(body), "http", headers)
        return self.answer(200)

    @staticmethod
    def read_json(body, request):
        return json_format.ParseDict(ids_as_bytes(json.loads(body)), request)

    def answer(self, status):
        self.send_response(status)
        self.send_header("Content-Type", "application/x-protobuf")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class HttpServer(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass  # a client that did not wait for the answer


class GrpcService:
    def __init__(self, manner, response):
        self.manner = manner
        self.response = response

    def Export(self, request, context):
        if not self.manner.takes("grpc"):
            context.abort(grpc.StatusCode.UNAVAILABLE, "refused")
        tell_of(request, "grpc", dict(context.invocation_metadata()))
        return self.response()


def serve_grpc(manner):
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=16))
    trace_service_pb2_grpc.add_TraceServiceServicer_to_server(
        GrpcService(manner, trace_service_pb2.ExportTraceServiceResponse), server
    )
    metrics_service_pb2_grpc.add_MetricsServiceServicer_to_server(
        GrpcService(manner, metrics_service_pb2.ExportMetricsServiceResponse), server
    )
    logs_service_pb2_grpc.add_LogsServiceServicer_to_server(
        GrpcService(manner, logs_service_pb2.ExportLogsServiceResponse), server
    )
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    return server, port


def serve_http(manner):
    server = HttpServer(("127.0.0.1", 0), HttpHandler)
    server.manner = manner
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_port


def main():
    manner = Manner(sys.argv[1] if len(sys.argv) > 1 else "take")
    grpc_server, grpc_port = serve_grpc(manner)
    tell({"http": serve_http(manner), "grpc": grpc_port})
    for line in sys.stdin:
        manner.change(line.strip())
    manner.change("refuse")  # lets go of whoever is waiting
    grpc_server.stop(None)


if __name__ == "__main__":
    main()
