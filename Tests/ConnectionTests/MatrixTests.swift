import Foundation
import SASLMechanisms
import ServerFixtures
import Testing
import TransportLayer
import XMPPAddress
import XMPPClient
import XMPPStanzas
import XMPPStream

@Suite("Matrix of servers and transports", .timeLimit(.minutes(20)))
struct MatrixTests {
    /// Long compared with the processing time of client and server, so that round trips can be counted.
    private static let latency = Duration.milliseconds(50)

    /// The result of a login.
    private struct Login {
        var session: StreamSession
        /// The offer before it.
        var features: StreamFeatures
        var roundTrips: Int

        /// What binds the proof of the password or token to this TLS connection.
        var binding: ChannelBinding.Kind? {
            let suffixes: [(String, ChannelBinding.Kind)] = [
                ("-EXPR", .tlsExporter), ("-UNIQ", .tlsUnique), ("-ENDP", .tlsServerEndPoint),
            ]
            if let found = suffixes.first(where: { session.mechanism.hasSuffix($0.0) }) { return found.1 }
            guard session.mechanism.hasSuffix("-PLUS") else { return nil }
            // Without a list TLS 1.2 uses the binding that RFC 5802 expects.
            let listed = features.channelBindingTypes ?? [ChannelBinding.Kind.tlsUnique.rawValue]
            return ChannelBinding.Kind.allCases.first { kind in
                listed.contains(kind.rawValue) && session.tls?.channelBindings.contains { $0.kind == kind } == true
            }
        }
    }

    @Test(
        "logs in with the best mechanism of the server, and resumes on a new connection", arguments: MatrixRow.selected)
    func connects(row: MatrixRow) async throws {
        let server = try await row.kind.shared()
        let account = try await server.newAccount("matrix")
        let proxy = try FaultProxy(to: row.port(of: server))
        proxy.configure { $0.latency = Self.latency }
        let bounds = TLSBounds(row.tls)
        let configuration = try server.configuration(account, port: proxy.port) {
            $0.encryption = row.way == .directTLS ? .directTLS : .required
            $0.transports = bounds.factory(row.way, server, through: proxy)
            // With Bind 2, which the usual plan does not include.
            $0.negotiation = .forArchiveReaders
            $0.userAgent = UserAgent(id: UUID().uuidString, software: "matrix")
        }
        guard !row.isRefused else {
            await withKnownIssue("The server takes the truth about channel binding for an attack.") {
                try await Client(configuration).run { _ in }
            }
            return MatrixReport.append([row.kind.description, row.way.rawValue, row.tlsName, "refused"])
        }
        let (first, second) = try await Client(configuration).run(from: .connecting) { session in
            let events = EventInbox(session.events())
            session.connect()
            let first = try await login(session, events, proxy)
            try await session.send(Presence())
            let token = try await session.send(.chat(to: first.session.address, body: "before"))
            try await token.reached(.acknowledged)
            #expect(await events.body() == "before")

            let before = proxy.counters.roundTrips
            proxy.resetConnections()
            var second = try await login(session, events, proxy)
            second.roundTrips -= before
            try await session.send(.chat(to: second.session.address, body: "after"))
            #expect(await events.body() == "after")
            return (first, second)
        }
        check(row, first, second, bounds)
        var line = [row.kind.description, row.way.rawValue, row.tlsName] + cells(first)
        line.append(first.binding?.rawValue ?? "-")
        line += cells(second)
        line += [second.session.usesFAST, bounds.resumptions.last == true, second.session.isResumed]
            .map { $0 ? "yes" : "-" }
        MatrixReport.append(line)
    }

    private func login(_ session: Session, _ events: EventInbox, _ proxy: FaultProxy) async throws -> Login {
        var offered: StreamFeatures?
        var failure: ClientError?
        let isOnline: Bool? = await events.first { event in
            if case .connection(.opened(let features)) = event, offered == nil { offered = features }
            if case .connection(.disconnected(let error, _)) = event { failure = error }
            if case .connection(.online) = event { return true }
            return nil
        }
        let roundTrips = proxy.counters.roundTrips
        try #require(isOnline == true, "\(failure?.message ?? "")")
        return Login(
            session: try #require(await session.agreement), features: offered ?? .none, roundTrips: roundTrips)
    }

    private func cells(_ login: Login) -> [String] {
        [
            login.session.mechanism,
            (login.session.usesSASL2 ? "SASL2" : "SASL") + (login.session.isBoundInline ? ", Bind 2" : ""),
            "\(login.roundTrips)",
        ]
    }

    private func check(_ row: MatrixRow, _ first: Login, _ second: Login, _ bounds: TLSBounds) {
        #expect(first.session.tls?.version == (row.tls == .tls12 ? .tls12 : .tls13))
        #expect(first.session.isManaged && first.session.isResumable && !first.session.isResumed)
        #expect(second.session.isResumed)
        #expect(second.session.address == first.session.address)
        #expect(first.session.mechanism == row.expectedMechanism)
        #expect(first.binding == row.expectedBinding)
        #expect(first.session.usesSASL2 == row.offersSASL2)
        #expect(first.session.isBoundInline == row.offersSASL2)
        #expect(second.session.usesFAST == row.offersSASL2)
        #expect(bounds.resumptions.first == false)
        guard row.offersSASL2, row.way == .directTLS, row.tls == .tls13 else { return }
        // After TCP: a login in one round trip, and one with a token over a resumed TLS session.
        #expect(first.roundTrips <= 5)
        #expect(second.roundTrips <= 3)
    }
}

extension MatrixRow {
    func port(of server: RunningServer) -> UInt16 {
        switch way {
        case .startTLS: server.startTLSPort
        case .directTLS: server.directTLSPort
        case .webSocket: server.httpsPort
        }
    }

    /// ejabberd supports the short login over TCP only.
    var offersSASL2: Bool { kind.offersSASL2 && (kind.isProsody || way != .webSocket) }

    /// Over WebSocket ejabberd 24.12 offers no mechanism with channel binding, but rejects a client that states, as RFC
    /// 5802 §6 requires, that it supports binding and was not offered it.
    var isRefused: Bool { kind == .ejabberd2412 && way == .webSocket }

    /// The best mechanism that the server supports, according to its documentation and to tests with other clients.
    var expectedMechanism: String { expectedBinding == nil ? "SCRAM-SHA-1" : "SCRAM-SHA-1-PLUS" }

    var expectedBinding: ChannelBinding.Kind? {
        // ejabberd has no channel binding over WebSocket.
        if way == .webSocket, !kind.isProsody { return nil }
        return switch (kind, tls) {
        case (.prosody012, .tls12), (.prosody13, .tls12), (.ejabberd2301, .tls12): .tlsUnique
        // 0.12 has no binding for TLS 1.3. 23.01 offers some without naming the types, and then rejects the existing
        // ones.
        case (.prosody012, _), (.ejabberd2301, _): nil
        case (.prosody13, _), (.ejabberd2412, _): .tlsExporter
        }
    }
}
