/// The client side of EXTERNAL (RFC 4422 appendix A, XEP-0178): the TLS client certificate is the proof.
///
///     C: [authzid]
public struct ExternalClient: SASLClientMechanism {
    public var name: SASLMechanismName { .external }
    private let authorizationID: String?

    /// `authorizationID` is `nil` if the server should derive the identity from the certificate.
    public init(authorizationID: String?) { self.authorizationID = authorizationID }

    public mutating func start() throws(SASLError) -> [UInt8]? {
        guard let authorizationID else { return [] }
        return try SASLText.bytes(of: authorizationID, naming: "authorization identity")
    }

    /// A server that overlooked the empty initial response asks again.
    public mutating func respond(to challenge: [UInt8]) throws(SASLError) -> [UInt8] {
        guard challenge.isEmpty else { throw SASLError(.unexpectedMessage) }
        return try start() ?? []
    }

    /// EXTERNAL proves nothing about the server; TLS did.
    public mutating func succeed(with additionalData: [UInt8]?) throws(SASLError) {}
}

/// The server side of EXTERNAL.
public struct ExternalServer: SASLServerMechanism {
    public var name: SASLMechanismName { .external }
    private let identities: [String]

    /// `identities` are the identities in the client's verified certificate, the preferred one first.
    public init(identities: [String]) { self.identities = identities }

    public mutating func messageReceived(_ message: [UInt8]?) -> SASLServerStep {
        guard let message else { return .challenge([]) }
        guard let first = identities.first else { return .failure(.notAuthorized) }
        guard let asked = String(validating: message, as: UTF8.self) else { return .failure(.malformedRequest) }
        if asked.isEmpty { return .success(SASLIdentity(username: first), additionalData: nil) }
        guard identities.contains(asked) else { return .failure(.invalidAuthorizationID) }
        return .success(SASLIdentity(username: asked, authorizationID: asked), additionalData: nil)
    }
}
