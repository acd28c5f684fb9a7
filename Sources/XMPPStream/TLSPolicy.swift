/// Whether and how a stream must be encrypted.
public enum TLSPolicy: Hashable, Sendable {
    /// Encrypted before anything but the offer of encryption is exchanged: over a transport that was secured on
    /// connecting, or else by STARTTLS, which is demanded even when it was not offered (RFC 6120 §5, §13.9.4).
    case required

    /// TLS from the first byte (XEP-0368).
    case directTLS

    /// No encryption at all, for a server on the same machine during tests. Passwords cross the network readable.
    case plaintextAllowedForTestsOnly
}
