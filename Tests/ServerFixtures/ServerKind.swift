/// A server of any kind and release.
public typealias RunningServer = any PrivateServer

/// The most common servers, in the release of Debian 12 and in that of its backports.
///
/// ```swift
/// @Test(arguments: ServerKind.allCases)
/// func login(kind: ServerKind) async throws {
///     let server = try await kind.shared()
/// ```
public enum ServerKind: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    case prosody012 = "Prosody 0.12"
    case prosody13 = "Prosody 13.0"
    case ejabberd2301 = "ejabberd 23.01"
    case ejabberd2412 = "ejabberd 24.12"

    public var description: String { rawValue }

    /// SASL 2, Bind 2 and FAST (XEP-0388, XEP-0386, XEP-0484).
    public var offersSASL2: Bool {
        switch self {
        case .prosody012, .ejabberd2301: false
        case .prosody13, .ejabberd2412: true
        }
    }

    public var isProsody: Bool { self == .prosody012 || self == .prosody13 }

    /// The shared server with these options, started by the first caller. Never stop, kill, freeze or restart it.
    public func shared(_ options: ServerOptions = ServerOptions()) async throws(FixtureError) -> RunningServer {
        switch self {
        case .prosody012: try await PrivateProsody.shared(options, release: .debian12)
        case .prosody13: try await PrivateProsody.shared(options, release: .backports)
        case .ejabberd2301: try await PrivateEjabberd.shared(options, release: .debian12)
        case .ejabberd2412: try await PrivateEjabberd.shared(options, release: .backports)
        }
    }

    /// Starts a server for this test only.
    public func start(_ options: ServerOptions = ServerOptions()) async throws(FixtureError) -> RunningServer {
        switch self {
        case .prosody012: try await PrivateProsody(options, release: .debian12)
        case .prosody13: try await PrivateProsody(options, release: .backports)
        case .ejabberd2301: try await PrivateEjabberd(options, release: .debian12)
        case .ejabberd2412: try await PrivateEjabberd(options, release: .backports)
        }
    }
}

/// The source of a server.
public enum ServerRelease: String, Sendable, Hashable {
    /// Installed from Debian 12: Prosody 0.12, ejabberd 23.01.
    case debian12
    /// From the backports of Debian 12, unpacked privately: Prosody 13, ejabberd 24.12.
    case backports
}
