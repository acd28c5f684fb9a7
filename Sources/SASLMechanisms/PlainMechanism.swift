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
