import COpenSSL
import Glibc

/// The certificate and private key with which a client identifies itself to a server that requests one (RFC 8446
/// §4.4.2, XEP-0178).
public struct TLSIdentity: Sendable, Hashable {
    /// PEM file: the certificate, then the intermediate ones.
    public var certificateChainFile: String
    /// PEM file without passphrase: a reconnection cannot ask for one.
    public var privateKeyFile: String

    public init(certificateChainFile: String, privateKeyFile: String) {
        self.certificateChainFile = certificateChainFile
        self.privateKeyFile = privateKeyFile
    }

    /// A warning if users other than its owner can read the file of the key, otherwise `nil`.
    public var warning: String? {
        var status = stat()
        guard stat(privateKeyFile, &status) == 0, status.st_mode & 0o077 != 0 else { return nil }
        return "The private key in \(privateKeyFile) can be read by others. Make it readable only for its owner."
    }

    /// Presents the certificate on a connection. Reads both files.
    ///
    /// - Throws: `invalidConfiguration` with the path and the reason.
    func show(on ssl: OpaquePointer) throws(TransportError) {
        for (what, file) in [("certificate", certificateChainFile), ("private key", privateKeyFile)] {
            guard access(file, R_OK) == 0 else {
                throw TransportError(
                    .invalidConfiguration,
                    "The \(what) cannot be read from \(file): \(String(cString: strerror(errno))).")
            }
        }
        ERR_clear_error()
        // Otherwise OpenSSL asks for the passphrase of a key on the terminal.
        SSL_set_default_passwd_cb(ssl) { _, _, _, _ in 0 }
        guard SSL_use_certificate_chain_file(ssl, certificateChainFile) == 1 else {
            throw TransportError(tls: "Reading the certificate \(certificateChainFile)", .invalidConfiguration)
        }
        guard SSL_use_PrivateKey_file(ssl, privateKeyFile, SSL_FILETYPE_PEM) == 1, SSL_check_private_key(ssl) == 1
        else {
            throw TransportError(tls: "Reading the private key \(privateKeyFile)", .invalidConfiguration)
        }
    }
}
