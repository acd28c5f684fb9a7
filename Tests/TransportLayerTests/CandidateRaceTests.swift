import HongyanTesting
import ServerFixtures
import Synchronization
import Testing

@testable import TransportLayer

/// Several servers of one service, some of them broken.
@Suite(.timeLimit(.minutes(20)))
struct CandidateRaceTests {
    private func connector(_ names: NameServer, delay: Duration? = nil) -> Connector {
        var configuration = Connector.Configuration()
        configuration.resolver = names.configuration
        if let delay { configuration.candidateDelay = delay }
        return Connector(configuration: configuration)
    }

    /// One SRV record with an address record of 127.0.0.1.
    private func record(_ kind: ServiceRecord.Kind, _ name: String, _ address: SocketAddress, _ priority: Int)
        -> [String]
    {
        [
            "srv-host=\(kind.name(at: "xmpp.test")),\(name).xmpp.test,\(address.port),\(priority),0",
            "host-record=\(name).xmpp.test,127.0.0.1",
        ]
    }

    /// The fastest of some attempts: the machine may be under load.
    private func shortest(_ body: () async throws -> Void) async throws -> Duration {
        var shortest = Duration.seconds(1000)
        for _ in 0..<5 where shortest >= .seconds(3) {
            let start = ContinuousClock.now
            try await body()
            shortest = min(shortest, ContinuousClock.now - start)
        }
        return shortest
    }

    @Test("The first server refuses, the second drops the connection, the third answers: connected within 3 s")
    func cutOff() async throws {
        let dead = try DeadPort()
        let silent = try SilentListener()
        defer { silent.close() }
        let listener = try await TCPListener.listen(at: Loopback.address())
        let names = try await NameServer(
            record(.startTLS, "dead", dead.address, 1) + record(.startTLS, "silent", silent.address, 2)
                + record(.startTLS, "live", listener.address, 3))
        defer { names.stop() }
        let tls = try await Loopback.client()
        let time = try await shortest {
            let connection = try await connector(names).connect(to: .domain("xmpp.test"), tls: tls)
            #expect(connection.candidate.host == "live.xmpp.test")
            connection.transport.abort()
        }
        #expect(time < .seconds(3))
    }

    @Test(
        "The first server refuses, the second is silent in its TLS handshake, the third answers: connected within 3 s")
    func mute() async throws {
        let dead = try DeadPort()
        let mute = try await TCPListener.listen(at: Loopback.address())
        let listener = try await TCPListener.listen(at: Loopback.address())
        let names = try await NameServer(
            record(.directTLS, "dead", dead.address, 1) + record(.directTLS, "mute", mute.address, 2)
                + record(.directTLS, "live", listener.address, 3))
        defer { names.stop() }
        let server = try await Loopback.server()
        let tls = try await Loopback.client()
        let time = try await shortest {
            async let accepted = listener.accept().acceptTLS(server)
            let connection = try await connector(names).connect(to: .domain("xmpp.test"), tls: tls)
            #expect(connection.candidate.host == "live.xmpp.test")
            #expect(connection.tls != nil)
            _ = try await accepted
            connection.transport.abort()
        }
        #expect(time < .seconds(3))
        // The connection to the second was closed; only a TLS ClientHello was ever sent.
        let received = try await mute.accept()
        let greeting = await Result { () async throws(TransportError) in try await received.readToEnd() }
        if case .success(let bytes) = greeting { #expect(bytes.first == 0x16 && bytes.count < 4096) }
    }

    @Test("A server that answers in time is not skipped: the order is that of DNS")
    func order() async throws {
        let first = try await TCPListener.listen(at: Loopback.address())
        let second = try await TCPListener.listen(at: Loopback.address())
        let names = try await NameServer(
            record(.startTLS, "first", first.address, 1) + record(.startTLS, "second", second.address, 2))
        defer { names.stop() }
        let tls = try await Loopback.client()
        let events = Mutex<[ConnectionProgress]>([])
        // Longer than a connection over loopback takes under load.
        let connector = connector(names, delay: .seconds(30))
        let connection = try await connector.connect(to: .domain("xmpp.test"), tls: tls) { event in
            events.withLock { $0.append(event) }
        }
        #expect(connection.candidate.host == "first.xmpp.test")
        #expect(events.withLock { $0 }.count { if case .connecting = $0 { true } else { false } } == 1)
        // Servers that failed before are tried last.
        let other = try await connector.connect(
            to: .domain("xmpp.test"), tls: tls, avoiding: [connection.candidate])
        #expect(other.candidate.host == "second.xmpp.test")
    }

    @Test(
        "The user is asked once about the certificate of two servers, and a rejection ends the connection",
        arguments: [true, false])
    func question(_ answer: Bool) async throws {
        let first = try await TCPListener.listen(at: Loopback.address())
        let second = try await TCPListener.listen(at: Loopback.address())
        let names = try await NameServer(
            record(.directTLS, "first", first.address, 1) + record(.directTLS, "second", second.address, 2))
        defer { names.stop() }
        let server = try await Loopback.server(.selfSigned)
        let ends = [first, second].map { listener in
            Task { await Result { () async throws(TransportError) in try await listener.accept().acceptTLS(server) } }
        }
        let asked = Mutex(0)
        let tls = TLSConfiguration(
            serverName: "xmpp.test",
            trust: .ask { _ in
                asked.withLock { $0 += 1 }
                try? await Task.sleep(for: .milliseconds(50))
                return answer
            })
        let connector = connector(names, delay: .milliseconds(10))
        let result = await Result { () async throws(TransportError) in
            try await connector.connect(to: .domain("xmpp.test"), tls: tls)
        }
        for end in ends {
            end.cancel()
            _ = await end.value
        }
        #expect(asked.withLock { $0 } == 1)
        switch result {
        case .success(let connection): #expect(answer && connection.tls?.overruledProblems.isEmpty == false)
        case .failure(let error): #expect(!answer && error.code == .certificateRefused)
        }
    }

    /// A gate that a test opens and others wait for.
    private final class Gate: Sendable {
        private let stream: AsyncStream<Void>
        private let continuation: AsyncStream<Void>.Continuation

        init() { (stream, continuation) = AsyncStream.makeStream() }

        func open() { continuation.finish() }
        func wait() async { for await _ in stream {} }
    }

    private func candidates(_ names: String...) -> [ConnectionCandidate] {
        names.map { ConnectionCandidate(host: $0, port: 1, security: .directTLS) }
    }

    private static let evaluation = TrustEvaluation(serverName: "a.test", certificates: [], problems: [])

    @Test("While the user decides no connection is started, and a rejection ends all")
    func heldBack() async {
        let questions = TrustQuestions()
        let (asked, timer, answer) = (Gate(), Gate(), Gate())
        let started = Mutex<[ConnectionCandidate]>([])
        let race = CandidateRace(
            candidates: candidates("a", "b", "c"), delay: .seconds(1), deadline: .now + .seconds(60),
            questions: questions, stopsAtRefusal: true, progress: { _ in }, sleep: { _ in await timer.wait() }
        ) { candidate in
            started.withLock { $0.append(candidate) }
            _ = await questions.ask(Self.evaluation) { _ in
                asked.open()
                await answer.wait()
                return false
            }
            return CandidateRace.Outcome(result: .failure(TransportError(.certificateRefused, "no")))
        }
        async let finish = race.run()
        await asked.wait()
        timer.open()
        for _ in 0..<100 { await Task.yield() }
        answer.open()
        #expect(await finish.winner == nil)
        #expect(await finish.errors.map(\.code) == [.certificateRefused])
        #expect(started.withLock { $0.map(\.host) } == ["a"])
    }

    @Test(
        "A connection that is established while the user decides about another one waits for the decision",
        arguments: [true, false])
    func reserve(_ isAccepted: Bool) async throws {
        let questions = TrustQuestions()
        let (asked, second, answer) = (Gate(), Gate(), Gate())
        let (own, ownPeer) = InMemoryTransport.pair()
        let (other, otherPeer) = InMemoryTransport.pair()
        let race = CandidateRace(
            candidates: candidates("a", "b"), delay: .seconds(1), deadline: .now + .seconds(60), questions: questions,
            stopsAtRefusal: true, progress: { _ in }, sleep: { _ in }
        ) { candidate in
            if candidate.host == "b" {
                second.open()
                await asked.wait()
                return CandidateRace.Outcome(
                    result: .success(EstablishedConnection(transport: other, candidate: candidate, tls: nil)))
            }
            await second.wait()
            let isGood = await questions.ask(Self.evaluation) { _ in
                asked.open()
                await answer.wait()
                return isAccepted
            }
            guard isGood else {
                return CandidateRace.Outcome(result: .failure(TransportError(.certificateRefused, "no")))
            }
            return CandidateRace.Outcome(
                result: .success(EstablishedConnection(transport: own, candidate: candidate, tls: nil)))
        }
        // On one thread, in turns: the race has seen the connection of "b" when the user answers.
        let finish = await withTaskExecutorPreference(EventLoop.shared.taskExecutor) {
            async let finish = race.run()
            await asked.wait()
            for _ in 0..<10_000 { await Task.yield() }
            answer.open()
            return await finish
        }
        try #require(finish.winner?.candidate.host == (isAccepted ? "a" : nil))
        // The unused connection was closed.
        #expect(await otherPeer.readErrorCode() == .connectionReset)
        if isAccepted {
            try await own.write([1])
            #expect(try await ownPeer.read() == [1])
        }
    }

    @Test(
        "A rejection also applies to a connection that is established before or after the rejected one has ended",
        arguments: [false, true])
    func lateReserve(isAfterEnd: Bool) async throws {
        let questions = TrustQuestions()
        let (second, answered, ended, reserved) = (Gate(), Gate(), Gate(), Gate())
        let (other, otherPeer) = InMemoryTransport.pair()
        let race = CandidateRace(
            candidates: candidates("a", "b"), delay: .seconds(1), deadline: .now + .seconds(60), questions: questions,
            stopsAtRefusal: true, progress: { if case .failed = $0 { ended.open() } }, sleep: { _ in }
        ) { candidate in
            if candidate.host == "b" {
                second.open()
                await (isAfterEnd ? ended : answered).wait()
                reserved.open()
                return CandidateRace.Outcome(
                    result: .success(EstablishedConnection(transport: other, candidate: candidate, tls: nil)))
            }
            await second.wait()
            _ = await questions.ask(Self.evaluation) { _ in false }
            answered.open()
            if !isAfterEnd { await reserved.wait() }
            for _ in 0..<100 { await Task.yield() }
            return CandidateRace.Outcome(result: .failure(TransportError(.certificateRefused, "no")))
        }
        let finish = await race.run()
        try #require(finish.winner == nil)
        #expect(finish.errors.map(\.code) == [.certificateRefused])
        #expect(await otherPeer.readErrorCode() == .connectionReset)
    }

    @Test("A connection established after the first one is closed; a failure starts the next one immediately")
    func lateComer() async throws {
        let transports = (0..<3).map { _ in InMemoryTransport.pair() }
        let both = Gate()
        let race = CandidateRace(
            candidates: candidates("a", "b", "c"), delay: .seconds(1), deadline: .now + .seconds(60),
            questions: TrustQuestions(), stopsAtRefusal: false, progress: { _ in },
            sleep: { _ in await both.wait() }
        ) { candidate in
            switch candidate.host {
            case "a":
                return CandidateRace.Outcome(result: .failure(TransportError(.connectionRefused, "no")))
            case "b":
                // Only the failure of the first can have started this one; the third starts now.
                both.open()
                return CandidateRace.Outcome(
                    result: .success(
                        EstablishedConnection(transport: transports[1].0, candidate: candidate, tls: nil)))
            default:
                return CandidateRace.Outcome(
                    result: .success(
                        EstablishedConnection(transport: transports[2].0, candidate: candidate, tls: nil)))
            }
        }
        let finish = await race.run()
        let winner = try #require(finish.winner)
        #expect(finish.errors.count == 1)
        let loser = winner.candidate.host == "b" ? 2 : 1
        // It is closed, or was never started.
        transports[loser].0.abort()
        #expect(await transports[loser].1.readErrorCode() == .connectionReset)
        try await winner.transport.write([1])
        #expect(try await transports[3 - loser].1.read() == [1])
    }

    @Test("The user is asked one question at a time, one per certificate, and none after a rejection")
    func questions() async throws {
        let questions = TrustQuestions()
        func evaluation(_ number: UInt8) -> TrustEvaluation {
            TrustEvaluation(
                serverName: "a.test",
                certificates: [
                    CertificateInformation(
                        subject: "", issuer: "", names: [], notBefore: 0, notAfter: 0, sha256Fingerprint: [number],
                        der: [])
                ], problems: [])
        }
        let open = Mutex(0)
        let asked = Mutex<[UInt8]>([])
        let question: TrustPolicy.Question = { evaluation in
            open.withLock { $0 += 1 }
            #expect(open.withLock { $0 } == 1)
            for _ in 0..<20 { await Task.yield() }
            open.withLock { $0 -= 1 }
            let number = evaluation.certificates[0].sha256Fingerprint[0]
            asked.withLock { $0.append(number) }
            return number < 2
        }
        await withTaskGroup(of: Void.self) { group in
            for number in [0, 1, 0, 1] as [UInt8] {
                group.addTask { #expect(await questions.ask(evaluation(number), question)) }
            }
        }
        #expect(asked.withLock { $0.sorted() } == [0, 1])
        #expect(await !questions.ask(evaluation(2), question))
        #expect(await !questions.ask(evaluation(3), question))
        #expect(asked.withLock { $0.count } == 3)
        #expect(!questions.isOpen)
    }

    @Test("If all connections are dropped, the error describes each of them")
    func allFail() async throws {
        let silent = try SilentListener()
        defer { silent.close() }
        let dead = try DeadPort()
        let names = try await NameServer(
            record(.startTLS, "a", silent.address, 1) + record(.directTLS, "b", silent.address, 2)
                + record(.startTLS, "c", dead.address, 3))
        defer { names.stop() }
        let tls = try await Loopback.client()
        var configured = connector(names, delay: .milliseconds(50))
        configured.configuration.candidateTimeout = .milliseconds(400)
        configured.configuration.webSocket = .never
        let connector = configured
        let error = await #expect(throws: TransportError.self) {
            _ = try await connector.connect(to: .domain("xmpp.test"), tls: tls)
        }
        #expect(error?.code == .allCandidatesFailed)
        let targets = error?.attempts.map { $0.target.prefix(1) }
        #expect(targets == ["a", "b", "c"])
        #expect(error?.description.contains("c.xmpp.test") == true)
    }
}
