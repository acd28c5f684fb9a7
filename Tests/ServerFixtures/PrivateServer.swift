/// A real XMPP server of this test process, with its own directory, random loopback ports and temporary certificates.
///
/// It ends with `stop`, with the last reference to it, and with the test process, even if that is killed.
public protocol PrivateServer: Sendable {
    /// The service domain, always `xmpp.test`; `other.test` is a second one on the same server.
    var domain: String { get }
    /// The host of the ports below.
    var host: String { get }
    /// STARTTLS port.
    var port: UInt16 { get }
    /// Direct TLS port (XEP-0368).
    var directTLSPort: UInt16 { get }
    /// Plain HTTP, for the fixture's own control of the server.
    var httpPort: UInt16 { get }
    /// HTTPS port: file upload, WebSocket, and files below `/.well-known/`.
    var httpsPort: UInt16 { get }
    /// The URL of the WebSocket (RFC 7395); the certificate is valid for `localhost` too.
    var webSocketURL: String { get }
    /// Which server it is.
    var kind: ServerKind { get }
    /// External components (XEP-0114) connect here as `componentDomain` with `componentSecret`.
    var componentPort: UInt16 { get }
    var certificates: Certificates { get }

    /// Starts the server again after `kill` or `stop`, with the same ports and data; returns when it answers.
    func start() async throws(FixtureError)
    /// Ends it like `systemctl stop`: sessions are closed.
    func stop() async
    /// Ends it like a loss of power: sessions are not closed and nothing is saved.
    func kill() async
    /// Suspends it, like a machine that hangs: connections stay open and nothing is answered until `thaw`.
    func freeze()
    func thaw()
    /// Creates an account.
    func register(_ user: String, password: String, domain: String) async throws(FixtureError)
    /// The output of the server so far, for the message of a failed expectation.
    var log: String { get }
}

extension PrivateServer {
    public var domain: String { "xmpp.test" }
    public var otherDomain: String { "other.test" }
    public var host: String { "127.0.0.1" }
    /// The PEM file that a client is configured to trust.
    public var authorityFile: String { certificates.authorityFile }
    /// The same as ``port``.
    public var startTLSPort: UInt16 { port }
    /// The URL of the server's host-meta file (XEP-0156); with `.json` appended in the other format. It contains the
    /// domain, which no name server knows: resolve it as ``host``.
    public var hostMetaURL: String { "https://\(domain):\(httpsPort)/.well-known/host-meta" }
    public var conferenceDomain: String { "conference.\(domain)" }
    public var uploadDomain: String { "upload.\(domain)" }
    public var componentDomain: String { "ext.\(domain)" }
    public var componentSecret: String { ServerOptions.componentSecret }

    public func register(_ user: String, password: String) async throws(FixtureError) {
        try await register(user, password: password, domain: domain)
    }

    /// Creates an account in the main domain.
    public func addUser(_ user: String, password: String) async throws(FixtureError) -> Account {
        try await register(user, password: password)
        return Account(username: user, password: password, domain: domain)
    }

    public func restart() async throws(FixtureError) {
        await stop()
        try await start()
    }

    /// Creates an account that no other test uses: many tests use a shared server at the same time.
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
