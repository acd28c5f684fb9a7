import SASLMechanisms
import Synchronization
import Testing
import TransportLayer
import Waiting
import XMLStreaming
import XMPPAddress
import XMPPStanzas
import XMPPStream

@testable import XMPPClient

@Suite("Login", .timeLimit(.minutes(20)))
struct LoginTests {
    @Test(
        "S0-18, S0-69, S2-6, S3-11, S3-12, S3-30, S3-31, S3-33: address and password suffice to log in and send presence"
    )
    func login() async throws {
        let server = MemoryServer()
        let client = Client(try server.account("alice", resource: "desk"))
        let address = try await client.run { session in
            try await session.send(Presence(show: .extendedAway, status: "我现在很忙"))
            await server.next("presence")
            return await session.address
        }
        #expect(try address == JID("alice@xmpp.test/desk"))
        #expect(await server.received.contains { $0.firstChild(XMLName("status", "jabber:client"))?.text == "我现在很忙" })
    }

    @Test("byte by byte: the login does not depend on the sizes of the reads", arguments: [1, 7, 64])
    func slices(readLimit: Int) async throws {
        let server = MemoryServer(readLimit: readLimit)
        try await Client(try server.account("alice")).run { session in
            _ = try await session.request(Ping())
        }
    }

    @Test(
        "S0-25…S0-28, S0-30, S0-31, S0-34, S0-36, S2-4, S2-5, S2-9, S0-55, S0-56, S0-57, S0-59: every step is an event, in order"
    )
    func steps() async throws {
        let server = MemoryServer()
        let client = Client(try server.account("alice"))
        let seen = try await client.run(from: .connecting) { session in
            let events = session.events(.connection)
            async let seen = labels(events)
            try await session.waitUntilOnline()
            await session.close()
            return await seen
        }
        #expect(
            seen == [
                "willConnect", "connected", "negotiating", "securing", "secured", "negotiating", "opened",
                "authenticating",
                "authenticated", "binding", "bound", "addressChanged", "online", "closeRequested", "closingSent",
                "disconnected",
            ])
    }

    @Test("S0-35, S0-77, S1-20: a wrong password is an authentication error with the server's reason, and the only end")
    func wrongPassword() async throws {
        let server = MemoryServer()
        let configuration = try server.account("alice") { $0.credentials.password = "wrong" }
        let failure = await #expect(throws: ClientError.self) {
            try await Client(configuration).run { _ in Issue.record("The body ran without a login.") }
        }
        #expect(failure?.code == .authenticationFailed)
        #expect(failure?.exitClass == .authentication)
        #expect(failure?.streamFailure?.code == .credentialsRejected)
        #expect(failure?.message.contains("wrong") == true && failure?.message.contains("secret") == false)

        let error = await #expect(throws: ClientError.self) {
            try await Client(configuration).run(from: .connecting) { session in
                let events = session.events(.connection)
                async let seen = labels(events)
                #expect(await clientError { try await session.waitUntilOnline() }?.code == .authenticationFailed)
                let steps = await seen
                #expect(steps.suffix(2) == ["authenticationFailed", "disconnected"])
                #expect(steps.filter { $0 == "disconnected" }.count == 1)
            }
        }
        #expect(error?.code == .authenticationFailed)
    }

    @Test("S0-73, S0-75, S1-15: a connection that cannot be established is reported to the caller")
    func unreachable() async throws {
        var configuration = try MemoryServer().account("alice")
        configuration.transports = TransportFactory { _ throws(TransportError) in
            throw TransportError(.connectionRefused, "Nothing listens there.")
        }
        let error = await #expect(throws: ClientError.self) { try await Client(configuration).run { _ in } }
        #expect(error?.code == .connectionFailed && error?.exitClass == .connection)
        #expect(error?.streamFailure?.code == .serverUnreachable)
    }

    @Test(
        "S0-58, S0-72, S0-74, S1-14, S1-16: one deadline for the login, 30 seconds unless set otherwise",
        arguments: [6, 30])
    func timeout(seconds: Int) async throws {
        let clock = ManualClock()
        var configuration = try MemoryServer().account("alice")
        #expect(ClientConfiguration(address: configuration.address, password: "secret").loginTimeout == .seconds(30))
        configuration.loginTimeout = .seconds(seconds)
        configuration.clock = clock.clock
        configuration.transports = TransportFactory { _ throws(TransportError) in
            await Gate().wait()
            throw TransportError(.cancelled, "Never.")
        }
        let client = Client(configuration)
        let started = clock.clock.now()
        let error = try await clock.run {
            await #expect(throws: ClientError.self) { try await client.run { _ in } }
        }
        #expect(error?.code == .timedOut && error?.exitClass == .connection)
        #expect(clock.clock.now() - started >= .seconds(seconds))
    }

    @Test("S3-29: a missing setting is an error that names the setting")
    func configuration() async throws {
        let server = MemoryServer()
        var noAccount = try server.account("alice")
        noAccount.address = try JID("xmpp.test")
        var noPassword = try server.account("alice")
        noPassword.credentials.password = ""
        var portOnly = try server.account("alice")
        portOnly.port = 5222
        for configuration in [noAccount, noPassword, portOnly] {
            let error = await #expect(throws: ClientError.self) { try await Client(configuration).run { _ in } }
            #expect(error?.code == .invalidConfiguration && error?.exitClass == .usage)
        }
        #expect(await server.connections == 0)
    }

    @Test(
        "S0-20, S0-21, S0-22, S3-15, S3-16: host and port are passed to the transport; the certificate is for the domain"
    )
    func place() async throws {
        var configuration = ClientConfiguration(address: try JID("alice@BÜCHER.example"), password: "x")
        configuration.host = "192.0.2.7"
        configuration.port = 0
        let target = Box<TransportFactory.Target>()
        configuration.transports = TransportFactory { wanted throws(TransportError) in
            target.value = wanted
            throw TransportError(.connectionRefused, "No.")
        }
        await #expect(throws: ClientError.self) { try await Client(configuration).run { _ in } }
        #expect(target.value?.host == "192.0.2.7" && target.value?.port == 0)
        #expect(target.value?.tls.serverName == "xn--bcher-kva.example")
    }

    @Test(
        "S0-37: another resource is requested if the first is in use; with nil the server chooses",
        arguments: ["phone", nil])
    func conflict(other: String?) async throws {
        let server = MemoryServer()
        let first = Client(try server.account("alice", resource: "desk"))
        try await first.run { _ in
            let configuration = try server.account("alice", resource: "desk") {
                $0.resourceConflict = .ask { taken in
                    #expect(taken == "desk")
                    return other
                }
            }
            let address = try await Client(configuration).run { await $0.address }
            #expect(address?.resource != "desk")
            if let other { #expect(address?.resource == other) }
        }
    }

    @Test("a resource conflict can be permanent")
    func conflictFails() async throws {
        let server = MemoryServer()
        try await Client(try server.account("alice", resource: "desk")).run { _ in
            let configuration = try server.account("alice", resource: "desk") { $0.resourceConflict = .fail }
            let error = await #expect(throws: ClientError.self) { try await Client(configuration).run { _ in } }
            #expect(error?.code == .conflict)
        }
    }

    @Test(
        "S0-32, S0-33, S0-70, S0-78, S1-17: with the purpose of registration no login is made before it, and then the account works"
    )
    func registration() async throws {
        let server = MemoryServer(users: [])
        let client = Client(try server.account("carol"))
        let set = IQ(
            type: .set,
            payload: try XMLElement(
                parsing: """
                    <query xmlns='jabber:iq:register'><username>carol</username>\
                    <password>secret of carol</password></query>
                    """))
        try await client.register { registration in
            _ = try await registration.request(set)
            let taken = await #expect(throws: ClientError.self) { try await registration.request(set) }
            #expect(taken?.stanzaError?.condition == .conflict)
            let other = await #expect(throws: ClientError.self) { try await registration.request(IQ(Ping())) }
            #expect(other?.code == .invalidConfiguration)
        }
        #expect(await server.hasAccount("carol"))
        try await client.run { _ = try await $0.request(Ping()) }
    }

    @Test("S0-71, S1-12: a second run of the same client closes the first session")
    func secondRun() async throws {
        let server = MemoryServer()
        let client = Client(try server.account("alice", resource: "desk"))
        try await client.run { first in
            try await client.run { second in
                #expect(await !first.isOnline)
                #expect(await second.isOnline)
                #expect(await second.address?.resource == "desk")
            }
        }
        #expect(await server.ends == [.closed, .closed])
    }

    @Test("S0-71: a second run of a client that is still connecting ends the first attempt")
    func runWhileConnecting() async throws {
        let server = MemoryServer()
        var configuration = try server.account("alice")
        let (connect, hangs) = (configuration.transports.connect, Gate())
        let isFirst = Mutex(true)
        configuration.transports = TransportFactory { target throws(TransportError) in
            let waits = isFirst.withLock { first in
                defer { first = false }
                return first
            }
            guard waits else { return try await connect(target) }
            hangs.open()
            // Until it is cancelled.
            await Gate().wait()
            throw TransportError(.cancelled, "The attempt was ended.")
        }
        let client = Client(configuration)
        let first = Task { try await client.run { _ in Issue.record("The first attempt went on.") } }
        await hangs.wait()
        try await client.run { second in #expect(await second.isOnline) }
        _ = await first.result
        #expect(await server.ends == [.closed])
    }

    @Test("S0-45: a stream error ends the session with its meaning")
    func streamError() async throws {
        let server = MemoryServer()
        let error = await #expect(throws: ClientError.self) {
            try await Client(try server.account("alice")).run { session in
                let events = session.events(.connection)
                await server.close("alice", StreamError(.conflict))
                #expect(await labels(events).suffix(2) == ["streamError", "disconnected"])
            }
        }
        #expect(error?.code == .conflict)
        #expect(error?.streamFailure?.streamError?.condition == .conflict)
    }
}

/// A value that closures share.
final class Box<Value: Sendable>: Sendable {
    private let storage = Mutex<Value?>(nil)
    var value: Value? {
        get { storage.withLock(\.self) }
        set { storage.withLock { $0 = newValue } }
    }
}
