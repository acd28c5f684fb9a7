import HostileFixtures
import ServerFixtures
import Testing

/// The servers that attacks pass through: those that most people have.
enum Server: String, Sendable, CaseIterable, CustomTestStringConvertible {
    case prosody = "Prosody 0.12"
    case ejabberd = "ejabberd 23.01"

    var testDescription: String { rawValue }

    /// One that all attacks share; every test has attackers and accounts of its own.
    func shared() async throws -> any PrivateServer {
        try await (self == .prosody ? ServerKind.prosody012 : .ejabberd2301).shared(HostileComponent.options())
    }
}
