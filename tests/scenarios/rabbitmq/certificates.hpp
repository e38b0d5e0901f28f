#pragma once

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <filesystem>
#include <memory>
#include <string>

namespace ferry::scenarios {

/// A certificate with its key, made for one test.
class certificate {
public:
    /// Signed by itself; others can be signed by it.
    [[nodiscard]] static certificate authority(const std::string& name);
    /// `alternatives` are the names it is good for, as in "IP:127.0.0.1,DNS:localhost".
    [[nodiscard]] certificate issue(const std::string& name, const std::string& alternatives = {}) const;

    [[nodiscard]] std::string pem() const;
    [[nodiscard]] std::string key_pem() const;
    /// With a password, in the cipher that OpenSSL asks for it with.
    [[nodiscard]] std::string encrypted_key_pem(const std::string& password) const;

private:
    certificate(const std::string& name, const certificate* issuer, const std::string& alternatives);

    std::shared_ptr<EVP_PKEY> key_;
    std::shared_ptr<X509> x509_;
};

/// Files that go with the test.
class temporary_folder {
public:
    temporary_folder();
    temporary_folder(const temporary_folder&) = delete;
    temporary_folder& operator=(const temporary_folder&) = delete;
    ~temporary_folder();

    /// Returns where it is.
    [[nodiscard]] std::string write(const std::string& name, const std::string& content) const;

private:
    std::filesystem::path path_;
};

} // namespace ferry::scenarios
