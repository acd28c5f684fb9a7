/// The client side of PLAIN (RFC 4616). It sends the password itself, so the negotiator uses it only inside TLS and
/// only if the policy allows it.
///
///     C: [authzid] NUL authcid NUL passwd
public struct PlainClient: SASLClientMechanism {
    public var name: SASLMechanismName { .plain }
    private let credentials: SASLCredentials

    public init(credentials: SASLCredentials) { self.credentials = credentials }

    public mutating func start() throws(SASLError) -> [UInt8]? {
        guard let password = credentials.password else { throw SASLError(.passwordNeeded) }
        let username = try SASLText.bytes(of: credentials.username, naming: "user name")
        let secret = try SASLText.bytes(of: password, naming: "password")
        var message: [UInt8] = []
        if let authorizationID = credentials.authorizationID {
            message += try SASLText.bytes(of: authorizationID, naming: "authorization identity")
        }
        message.append(0)
        message += username
        message.append(0)
        message += secret
        return message
    }

    public mutating func respond(to challenge: [UInt8]) throws(SASLError) -> [UInt8] {
        throw SASLError(.unexpectedMessage)
    }

    /// PLAIN proves nothing about the server; TLS did.
    public mutating func succeed(with additionalData: [UInt8]?) throws(SASLError) {}
}

/// The server side of PLAIN (RFC 4616).
public struct PlainServer: SASLServerMechanism {
    public var name: SASLMechanismName { .plain }
    private let isEncrypted: Bool
    private let verify: @Sendable (_ username: String, _ password: String) -> Bool

    /// `isEncrypted` says whether TLS is active; without it every message is refused unread.
    public init(
        isEncrypted: Bool, verify: @escaping @Sendable (_ username: String, _ password: String) -> Bool
    ) {
        self.isEncrypted = isEncrypted
        self.verify = verify
    }

    public mutating func messageReceived(_ message: [UInt8]?) -> SASLServerStep {
        guard isEncrypted else { return .failure(.encryptionRequired) }
        guard let message else { return .challenge([]) }
        let parts = message.split(separator: 0, omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[1].isEmpty, !parts[2].isEmpty,
            let authorizationID = String(validating: parts[0], as: UTF8.self),
            let username = String(validating: parts[1], as: UTF8.self),
            let password = String(validating: parts[2], as: UTF8.self)
        else { return .failure(.malformedRequest) }
        guard verify(username, password) else { return .failure(.notAuthorized) }
        return .success(
            SASLIdentity(username: username, authorizationID: authorizationID.isEmpty ? nil : authorizationID),
            additionalData: nil)
    }
}
