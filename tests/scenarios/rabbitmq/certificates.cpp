#include "certificates.hpp"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <fstream>
#include <random>
#include <stdexcept>

namespace ferry::scenarios {

namespace {

constexpr long seconds_of_an_hour = 3600;

void require(bool worked, const char* what) {
    if (!worked) {
        throw std::runtime_error{std::string{"OpenSSL cannot "} + what};
    }
}

void set_name(X509_NAME* name, const std::string& text) {
    require(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(text.data()),
                                       static_cast<int>(text.size()), -1, 0) == 1,
            "set a name");
}

void extend(X509* x509, int what, const std::string& value) {
    const std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> extension{
        X509V3_EXT_nconf_nid(nullptr, nullptr, what, value.c_str()), &X509_EXTENSION_free};
    require(extension != nullptr && X509_add_ext(x509, extension.get(), -1) == 1, "extend a certificate");
}

template <typename Write> std::string written(Write write) {
    const std::unique_ptr<BIO, decltype(&BIO_free)> out{BIO_new(BIO_s_mem()), &BIO_free};
    require(write(out.get()) == 1, "write PEM");
    char* text = nullptr;
    const long size = BIO_get_mem_data(out.get(), &text);
    return {text, static_cast<std::size_t>(size)};
}

} // namespace

certificate::certificate(const std::string& name, const certificate* issuer, const std::string& alternatives)
    : key_{EVP_EC_gen("P-256"), &EVP_PKEY_free}, x509_{X509_new(), &X509_free} {
    require(key_ && x509_, "make a key");
    X509_set_version(x509_.get(), X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(x509_.get()), static_cast<long>(std::random_device{}() / 2));
    X509_gmtime_adj(X509_getm_notBefore(x509_.get()), -seconds_of_an_hour);
    X509_gmtime_adj(X509_getm_notAfter(x509_.get()), seconds_of_an_hour);
    X509_set_pubkey(x509_.get(), key_.get());
    set_name(X509_get_subject_name(x509_.get()), name);
    X509_set_issuer_name(x509_.get(), X509_get_subject_name(issuer == nullptr ? x509_.get() : issuer->x509_.get()));
    extend(x509_.get(), NID_basic_constraints, issuer == nullptr ? "critical,CA:TRUE" : "CA:FALSE");
    if (!alternatives.empty()) {
        extend(x509_.get(), NID_subject_alt_name, alternatives);
    }
    require(X509_sign(x509_.get(), issuer == nullptr ? key_.get() : issuer->key_.get(), EVP_sha256()) > 0,
            "sign a certificate");
}

certificate certificate::authority(const std::string& name) { return {name, nullptr, {}}; }

certificate certificate::issue(const std::string& name, const std::string& alternatives) const {
    return {name, this, alternatives};
}

std::string certificate::pem() const {
    return written([this](BIO* out) { return PEM_write_bio_X509(out, x509_.get()); });
}

std::string certificate::key_pem() const {
    return written(
        [this](BIO* out) { return PEM_write_bio_PrivateKey(out, key_.get(), nullptr, nullptr, 0, nullptr, nullptr); });
}

std::string certificate::encrypted_key_pem(const std::string& password) const {
    return written([&](BIO* out) {
        return PEM_write_bio_PrivateKey(out, key_.get(), EVP_aes_256_cbc(),
                                        reinterpret_cast<const unsigned char*>(password.data()),
                                        static_cast<int>(password.size()), nullptr, nullptr);
    });
}

temporary_folder::temporary_folder()
    : path_{std::filesystem::temp_directory_path() / ("ferry-" + std::to_string(std::random_device{}()))} {
    std::filesystem::create_directories(path_);
}

temporary_folder::~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::string temporary_folder::write(const std::string& name, const std::string& content) const {
    const std::filesystem::path file = path_ / name;
    std::ofstream{file} << content;
    return file.string();
}

} // namespace ferry::scenarios
