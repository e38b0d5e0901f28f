#include "private_instance.hpp"

#include <unistd.h>

#include <cstdio>
#include <memory>
#include <sstream>
#include <stdexcept>

namespace ferry::testing {

namespace {

struct close_pipe {
    void operator()(std::FILE* pipe) const noexcept { ::pclose(pipe); }
};

std::string output_of(const std::string& arguments) {
    const std::string command = FERRY_SERVICES " " + arguments + " 2>&1";
    std::unique_ptr<std::FILE, close_pipe> pipe{::popen(command.c_str(), "r")};
    std::string said;
    for (int each = 0; pipe && (each = std::fgetc(pipe.get())) != EOF;) {
        said += static_cast<char>(each);
    }
    if (!pipe || ::pclose(pipe.release()) != 0) {
        throw std::runtime_error{command + ": " + said};
    }
    return said;
}

} // namespace

private_instance::private_instance(const std::string& servers) {
    std::istringstream lines{output_of("start --owner " + std::to_string(::getpid()) + " " + servers)};
    for (std::string line; std::getline(lines, line);) {
        if (const std::size_t end = line.find('='); end != std::string::npos) {
            exports_[line.substr(0, end)] = line.substr(end + 1);
        }
    }
}

private_instance::~private_instance() {
    try {
        command("stop", "");
    } catch (const std::exception& failure) {
        std::fputs(failure.what(), stderr);
    }
}

std::uint16_t private_instance::port_in(const std::string& name) const {
    const std::string& url = exported(name);
    return static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
}

void private_instance::command(const std::string& what, const std::string& arguments) const {
    (void)output_of(what + " --dir " + exports_.at("FERRY_SERVICES_DIR") + " " + arguments);
}

} // namespace ferry::testing
