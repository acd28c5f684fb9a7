/// A real XMPP server that belongs to this test process: own directory, own random loopback ports, throw-away certificates.
///
/// It ends with `stop`, with the last reference to it, and with the test process, even a killed one.
public protocol PrivateServer: Sendable {
    /// The service domain, always `xmpp.test`; `other.test` is a second one on the same server.
    var domain: String { get }
    /// Where the ports below are open.
    var host: String { get }
    /// STARTTLS port.
    var port: UInt16 { get }
    /// Direct TLS port (XEP-0368).
    var directTLSPort: UInt16 { get }
    /// Plain HTTP, for the fixture's own control of the server.
    var httpPort: UInt16 { get }
    /// HTTPS port: file upload, WebSocket, and what is found below `/.well-known/`.
    var httpsPort: UInt16 { get }
    /// Where the WebSocket listens (RFC 7395); the certificate is for `localhost` too.
    var webSocketURL: String { get }
    /// Which server it is.
    var kind: ServerKind { get }
    /// External components (XEP-0114) connect here as `componentDomain` with `componentSecret`.
    var componentPort: UInt16 { get }
    var certificates: Certificates { get }

    /// Starts the server again after `kill` or `stop`, on the same ports with the same data; returns when it answers.
    func start() async throws(FixtureError)
    /// Ends it as `systemctl stop` does: sessions are told.
    func stop() async
    /// Ends it as a power cut does: nothing is told or saved.
    func kill() async
    /// Halts it without ending it, as a machine that hangs: connections stay open and nothing is answered until `thaw`.
    func freeze()
    func thaw()
    /// Makes an account.
    func register(_ user: String, password: String, domain: String) async throws(FixtureError)
    /// What the server wrote so far, for the message of a failed expectation.
    var log: String { get }
}

extension PrivateServer {
    public var domain: String { "xmpp.test" }
    public var otherDomain: String { "other.test" }
    public var host: String { "127.0.0.1" }
    /// PEM file a client is told to trust.
    public var authorityFile: String { certificates.authorityFile }
    /// The same as ``port``.
    public var startTLSPort: UInt16 { port }
    /// Where the server tells of its WebSocket (XEP-0156); with `.json` appended in the other format. The name is the domain's,
    /// which no name server knows: look it up as ``host``.
    public var hostMetaURL: String { "https://\(domain):\(httpsPort)/.well-known/host-meta" }
    public var conferenceDomain: String { "conference.\(domain)" }
    public var uploadDomain: String { "upload.\(domain)" }
    public var componentDomain: String { "ext.\(domain)" }
    public var componentSecret: String { "componentsecret" }

    public func register(_ user: String, password: String) async throws(FixtureError) {
        try await register(user, password: password, domain: domain)
    }

    /// Makes an account in the main domain.
    public func addUser(_ user: String, password: String) async throws(FixtureError) -> Account {
        try await register(user, password: password)
        return Account(username: user, password: password, domain: domain)
    }

    public func restart() async throws(FixtureError) {
        await stop()
        try await start()
    }

    /// Registers an account that no other test has: a shared server is used by many tests at the same time.
    public func newAccount(_ name: String = "user") async throws(FixtureError) -> Account {
        let account = Account(
            username: "\(name)-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))",
            password: String(UInt64.random(in: 0...UInt64.max), radix: 36), domain: domain)
        try await register(account.username, password: account.password)
        return account
    }
}

/// An account on a private server.
public struct Account: Sendable, Hashable {
    public let username: String
    public let password: String
    public let domain: String
    /// The bare address.
    public var address: String { "\(username)@\(domain)" }

    public init(username: String, password: String, domain: String) {
        self.username = username
        self.password = password
        self.domain = domain
    }
}
