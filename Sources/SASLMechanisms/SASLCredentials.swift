/// What a client can prove itself with.
///
/// User name, password and authorization identity must be **prepared by the caller**: the user name by the PRECIS
/// profile of its protocol (for XMPP the localpart of a prepared JID), the password by OpaqueString (RFC 8265 §4.2:
/// non-ASCII spaces become a space, then NFC; nothing else changes). The mechanisms send and hash exactly what they
/// are given and refuse only what can never stand there: an empty user name or password, and U+0000.
public struct SASLCredentials: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The authentication identity: in XMPP the localpart of the account's address.
    public var username: String
    /// The password, where the program has it.
    public var password: String?
    /// Keys that an earlier SCRAM exchange left; they serve as long as the server keeps salt and iteration count.
    public var scramKeys: [SCRAMKeys]
    /// The identity to act as, where it is not the authenticated one (RFC 4422 §3.4.1); in XMPP a bare JID.
    public var authorizationID: String?
    /// Whether the TLS connection presents a client certificate, which EXTERNAL refers to.
    public var presentsCertificate: Bool
    /// Whether the client asks for an account without an identity.
    public var isAnonymous: Bool

    /// Credentials of a person or a program: a password, keys of an earlier exchange, or both.
    public init(
        username: String, password: String?, scramKeys: [SCRAMKeys] = [], authorizationID: String? = nil,
        presentsCertificate: Bool = false
    ) {
        self.username = username
        self.password = password
        self.scramKeys = scramKeys
        self.authorizationID = authorizationID
        self.presentsCertificate = presentsCertificate
        isAnonymous = false
    }

    /// No identity at all (RFC 4505); the server makes an address up.
    public static var anonymous: SASLCredentials {
        var credentials = SASLCredentials(username: "", password: nil)
        credentials.isAnonymous = true
        return credentials
    }

    /// The TLS client certificate is the proof (RFC 4422 appendix A); the server derives the identity from it where
    /// `authorizationID` is `nil`.
    public static func certificate(authorizationID: String? = nil) -> SASLCredentials {
        SASLCredentials(
            username: "", password: nil, authorizationID: authorizationID, presentsCertificate: true)
    }

    /// The kinds of proof, never the proof.
    public var description: String {
        let parts: [String?] = [
            password == nil ? nil : "a password",
            scramKeys.isEmpty ? nil : "SCRAM keys",
            presentsCertificate ? "a certificate" : nil,
            isAnonymous ? "no identity" : nil,
        ]
        return "SASLCredentials(\(parts.compactMap { $0 }.joined(separator: ", ")))"
    }

    public var debugDescription: String { description }

    /// Empty, so that `dump` and a failed test's output do not tell the password.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
