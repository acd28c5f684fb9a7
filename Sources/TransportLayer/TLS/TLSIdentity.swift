import COpenSSL
import Glibc

/// The certificate and private key with which a client identifies itself to a server that requests one (RFC 8446
/// §4.4.2, XEP-0178).
public struct TLSIdentity: Sendable, Hashable {
    /// PEM file: the certificate, then the intermediate ones.
    public var certificateChainFile: String
    /// PEM file of the private key; it may be the same file.
    public var privateKeyFile: String
    /// The passphrase of the key, at most 1,023 bytes. It stays in memory, because a reconnection cannot ask for it.
    public var passphrase: String?

    public init(certificateChainFile: String, privateKeyFile: String, passphrase: String? = nil) {
        self.certificateChainFile = certificateChainFile
        self.privateKeyFile = privateKeyFile
        self.passphrase = passphrase
    }

    /// Keys are smaller; the rest of a larger file is not read.
    private static let keyFileLimit = 65_536

    /// Whether the key needs a ``passphrase`` (RFC 7468 §11, RFC 1421 §4.6.1.1); `false` where the file cannot be read.
    public var isKeyEncrypted: Bool {
        guard let file = fopen(privateKeyFile, "r") else { return false }
        defer { fclose(file) }
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.keyFileLimit) { buffer, count in
            count = fread(buffer.baseAddress, 1, buffer.count, file)
        }
        let text = String(decoding: bytes, as: UTF8.self)
        return text.contains("-----BEGIN ENCRYPTED PRIVATE KEY-----") || text.contains("Proc-Type: 4,ENCRYPTED")
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
        let files = [
            (UnusableFile.Problem.certificateUnreadable, "certificate", certificateChainFile),
            (.keyUnreadable, "private key", privateKeyFile),
        ]
        for (problem, what, file) in files {
            guard access(file, R_OK) == 0 else {
                throw TransportError(
                    problem, file,
                    "The \(what) cannot be read from \(file): \(String(cString: strerror(errno))).")
            }
        }
        ERR_clear_error()
        guard usesKey(ssl) else {
            guard !isKeyEncrypted else {
                ERR_clear_error()
                throw TransportError(
                    passphrase == nil ? .passphraseMissing : .passphraseWrong, privateKeyFile,
                    "The passphrase of the private key \(privateKeyFile) is \(passphrase == nil ? "missing" : "wrong")."
                )
            }
            throw TransportError(
                tls: "Reading the private key \(privateKeyFile)", .invalidConfiguration,
                file: UnusableFile(.keyUnreadable, privateKeyFile))
        }
        guard SSL_use_certificate_chain_file(ssl, certificateChainFile) == 1 else {
            throw TransportError(
                tls: "Reading the certificate \(certificateChainFile)", .invalidConfiguration,
                file: UnusableFile(.certificateUnreadable, certificateChainFile))
        }
        // A certificate that does not belong to the key has displaced it.
        guard SSL_check_private_key(ssl) == 1 else {
            ERR_clear_error()
            throw TransportError(
                .keyMismatch, privateKeyFile,
                "The private key \(privateKeyFile) does not belong to the certificate \(certificateChainFile).")
        }
    }

    private func usesKey(_ ssl: OpaquePointer) -> Bool {
        let isRead: () -> Bool = { SSL_use_PrivateKey_file(ssl, privateKeyFile, SSL_FILETYPE_PEM) == 1 }
        guard let passphrase else {
            // Without this OpenSSL asks for the passphrase of a key on the terminal.
            SSL_set_default_passwd_cb(ssl) { _, _, _, _ in 0 }
            return isRead()
        }
        return passphrase.withCString { characters in
            // OpenSSL's own callback takes the characters from there.
            SSL_set_default_passwd_cb_userdata(ssl, UnsafeMutableRawPointer(mutating: characters))
            defer { SSL_set_default_passwd_cb_userdata(ssl, nil) }
            return isRead()
        }
    }
}

extension TLSIdentity: CustomStringConvertible, CustomDebugStringConvertible {
    /// The paths of the two files, without the passphrase.
    public var description: String { "TLSIdentity(\(certificateChainFile), \(privateKeyFile))" }
    public var debugDescription: String { description }
}
