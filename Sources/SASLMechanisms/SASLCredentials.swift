/// The credentials of a client.
///
/// **The caller must prepare** user name, password and authorization identity: the user name by the PRECIS profile of
/// its protocol (for XMPP the localpart of a prepared JID), the password by OpaqueString (RFC 8265 §4.2: non-ASCII
/// spaces become a space, then NFC; nothing else changes). The mechanisms send and hash exactly these values and refuse
/// only what is never valid: an empty user name or password, and U+0000.
public struct SASLCredentials: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The authentication identity: in XMPP the localpart of the account's address.
    public var username: String
    /// The password, if the program has it.
    public var password: String?
    /// Keys from an earlier SCRAM exchange. They are valid as long as the server keeps salt and iteration count.
    public var scramKeys: [SCRAMKeys]
    /// The identity to act as, if it differs from the authenticated one (RFC 4422 §3.4.1); in XMPP a bare JID.
    public var authorizationID: String?
    /// Whether the TLS connection presents a client certificate, which EXTERNAL refers to.
    public var presentsCertificate: Bool
    /// Whether the client asks for an account without an identity.
    public var isAnonymous: Bool

    /// The credentials of a user or a program: a password, keys of an earlier exchange, or both.
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

    /// No identity (RFC 4505); the server creates an address.
    public static var anonymous: SASLCredentials {
        var credentials = SASLCredentials(username: "", password: nil)
        credentials.isAnonymous = true
        return credentials
    }

    /// A TLS client certificate as the proof (RFC 4422 appendix A); the server derives the identity from it if
    /// `authorizationID` is `nil`.
    public static func certificate(authorizationID: String? = nil) -> SASLCredentials {
        SASLCredentials(
            username: "", password: nil, authorizationID: authorizationID, presentsCertificate: true)
    }

    /// The kinds of credentials, never the secrets.
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

    /// Empty, so that `dump` and the output of a failed test do not reveal the password.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
