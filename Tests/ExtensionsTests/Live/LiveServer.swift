import AccountRegistration
import Blocking
import Cryptography
import EndToEndEncryption
import EntityInformation
import FileSharing
import GroupChat
import MessageFeatures
import MessageHistory
import MessagePayloads
import Profiles
import PublishSubscribe
import Roster
import ServerFixtures
import ServiceDiscovery
import Testing
import TransportLayer
import XMPPAddress
import XMPPClient
import XMPPStanzas

/// The servers on which each live test runs.
enum LiveServer: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case prosody, ejabberd

    var testDescription: String { rawValue }

    var server: any PrivateServer {
        get async throws {
            switch self {
            case .prosody: try await PrivateProsody.shared
            case .ejabberd: try await PrivateEjabberd.shared
            }
        }
    }
}

/// The time that each device of a test tells: that of the example of XEP-0202.
let testTime = EntityTime(time: Timestamp(millisecondsSince1970: 1_166_551_115_000), offset: -360)

/// The users of a test, who may see each other without a roster.
private struct Everybody: PeerDirectory {
    func maySeePresence(_ peer: JID) async -> Bool { true }
    func follows(_ peer: JID) async -> Bool { true }
}

extension PrivateServer {
    /// The configuration of a program of this package for the server.
    ///
    /// - Parameter knowsEverybody: whether all users may see that the session is online, as if they were contacts.
    func configuration(
        _ account: Account, roster: RosterPolicy = RosterPolicy(), knowsEverybody: Bool = true
    ) throws -> ClientConfiguration {
        var configuration = ClientConfiguration(address: try JID(account.address), password: account.password)
        configuration.host = host
        configuration.port = port
        let trust = TrustPolicy.certificateAuthority(authorityFile)
        configuration.trust = trust
        // The speed of a machine that runs other tests at the same time is not tested.
        configuration.loginTimeout = .seconds(120)
        configuration.resumptionTimeout = .seconds(60)
        if knowsEverybody { configuration.add { _ in Everybody() } }
        configuration.add { ServiceDiscovery($0) }
        configuration.add { Roster($0, policy: roster) }
        configuration.add { _ in
            EntityInformation(version: SoftwareVersion(softwareName: "Test", version: "1")) { testTime }
        }
        configuration.add { _ in DeliveryReceipts() }
        configuration.add { _ in DisplayedMarkers() }
        configuration.add { _ in OriginIdentifiers() }
        configuration.add { _ in MessageKinds.all }
        configuration.add { MessageArchive($0) }
        configuration.add { Blocking($0) }
        configuration.add { PublishSubscribe($0) }
        configuration.add { GroupChat($0) }
        configuration.add { Bookmarks($0) }
        configuration.add { Profiles($0) }
        configuration.add { DisplayedPositions($0) }
        configuration.add { OMEMODevices($0, using: OpenSSLCryptography()) }
        configuration.add { FileSharing($0, http: HTTPClient(configuration: .init(trust: trust))) }
        return configuration
    }

    /// Runs a session of each of two new accounts; both are online with presence when `body` begins.
    func withTwo(
        roster: RosterPolicy = RosterPolicy(), knowEachOther: Bool = true,
        _ body: @escaping @Sendable (_ romeo: Session, _ juliet: Session) async throws -> Void
    ) async throws {
        let romeo = Client(
            try configuration(try await newAccount("romeo"), roster: roster, knowsEverybody: knowEachOther))
        let juliet = Client(
            try configuration(try await newAccount("juliet"), roster: roster, knowsEverybody: knowEachOther))
        try await romeo.run { first in
            try await first.send(Presence())
            try await juliet.run { second in
                try await second.send(Presence())
                // The server answers in order: it knows that both are available.
                try await second.ping()
                try await withDeadline { try await body(first, second) }
            }
        }
    }
}

extension PrivateServer {
    /// Runs two sessions of one new account; both are online with presence when `body` begins.
    func withTwoDevices(
        _ body: @escaping @Sendable (_ phone: Session, _ desk: Session) async throws -> Void
    ) async throws {
        let account = try await newAccount("romeo")
        let (phone, desk) = (Client(try configuration(account)), Client(try configuration(account)))
        try await phone.run { first in
            try await first.send(Presence())
            try await desk.run { second in
                try await second.send(Presence())
                // The server answers in order: it knows that both are available.
                try await second.ping()
                try await withDeadline { try await body(first, second) }
            }
        }
    }
}

/// Waits for `work` with a timeout: a live test that hangs would not report its reason.
func withDeadline<Result: Sendable>(
    _ limit: Duration = .seconds(60), _ work: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    try await withThrowingTaskGroup(of: Result.self) { group in
        group.addTask { try await work() }
        group.addTask {
            try await Task.sleep(for: limit)
            throw DeadlinePassed()
        }
        defer { group.cancelAll() }
        guard let result = try await group.next() else { throw DeadlinePassed() }
        return result
    }
}

struct DeadlinePassed: Error {}

extension RosterEvents {
    /// Reads events until the closure returns a value.
    func first<Found>(_ find: (RosterEvent) -> Found?) async throws -> Found {
        for await batch in self {
            for event in batch {
                if let found = find(event) { return found }
            }
        }
        throw DeadlinePassed()
    }
}

extension SessionEvents {
    /// Reads messages until the closure returns a value.
    func firstMessage<Found>(_ find: (Message) throws -> Found?) async throws -> Found {
        for await batch in self {
            for case .message(let message) in batch {
                if let found = try find(message) { return found }
            }
        }
        throw DeadlinePassed()
    }

    /// The next presence that satisfies the condition.
    func first(where isWanted: (Presence) -> Bool) async throws -> Presence {
        for await batch in self {
            for case .presence(let presence) in batch where isWanted(presence) { return presence }
        }
        throw CancellationError()
    }
}
