internal import COpenSSL

/// libcrypto, which everything in this module needs first.
enum Library {
    /// libcrypto has been started.
    static let isReady: Void = openssl_start()
}
