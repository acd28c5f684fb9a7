import EntityInformation
import MessagePayloads
import ServerFixtures
import ServiceDiscovery
import Testing
import XMLStreaming
import XMPPAddress
import XMPPClient
import XMPPStanzas

@testable import DirectTransfer

@Suite("Files from device to device on real servers", .timeLimit(.minutes(15)))
struct DirectTransferLiveTests {
    private static let content = [UInt8]((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })

    /// Runs a session of each of two accounts with direct transfers.
    private func withTwo(
        _ server: RunningServer, _ policy: DirectTransferPolicy = DirectTransferPolicy(), knowEachOther: Bool = true,
        _ body:
            @escaping @Sendable (_ sender: DirectTransfer, _ receiver: DirectTransfer, _ device: JID) async throws ->
            Void
    ) async throws {
        func configuration(_ name: String) async throws -> ClientConfiguration {
            var configuration = try server.configuration(
                try await server.newAccount(name), knowsEverybody: knowEachOther)
            configuration.add { DirectTransfer($0, policy: policy, permitsLoopback: true) }
            return configuration
        }
        let (romeo, juliet) = (try await configuration("romeo"), try await configuration("juliet"))
        try await Client(romeo).run { first in
            try await first.send(Presence())
            try await Client(juliet).run { second in
                try await second.send(Presence())
                try await second.ping()
                let device = try #require(await second.address)
                let (sender, receiver) = (
                    try #require(first[DirectTransfer.self]), try #require(second[DirectTransfer.self])
                )
                try await withDeadline(.seconds(120)) { try await body(sender, receiver, device) }
            }
        }
    }

    private static func offer(hashes: [FileHash] = []) -> OfferedFile {
        OfferedFile(name: "tune.ogg", mediaType: "audio/ogg", size: UInt64(content.count), hashes: hashes)
    }

    @Test("inside of the XML stream, with a hash that follows", arguments: ServerKind.allCases)
    func inBand(kind: ServerKind) async throws {
        try await withTwo(try await kind.shared()) { sender, receiver, device in
            let offers = receiver.offers()
            #expect(try await sender.isPossible(to: device))
            let sent = try await sender.send(Self.offer(), to: device, from: TransferBytes(Self.content))
            let offer = try #require(await offers.first { _ in true })
            #expect(offer.file.name == "tune.ogg")
            #expect(offer.file.size == UInt64(Self.content.count))
            #expect(offer.direction == .incoming)
            let buffer = TransferBuffer()
            // Several tasks may wait, and one that does not go on waiting changes nothing.
            let impatient = Task { await offer.outcome() }
            impatient.cancel()
            #expect(await impatient.value == .failed(.cancelled))
            async let other = offer.outcome()
            offer.accept(into: buffer)
            #expect(await offer.outcome() == .completed)
            #expect(await other == .completed)
            #expect(await sent.outcome() == .completed)
            #expect(buffer.bytes == Self.content)
            #expect(!offer.progress.hasOwnConnection)
            #expect(offer.progress.bytes == UInt64(Self.content.count))
            #expect(sent.progress.bytes == UInt64(Self.content.count))
        }
    }

    @Test("through a direct connection, if both sides allow it", arguments: ServerKind.allCases)
    func direct(kind: ServerKind) async throws {
        var policy = DirectTransferPolicy()
        policy.disclosesAddresses = true
        try await withTwo(try await kind.shared(), policy) { sender, receiver, device in
            let offers = receiver.offers()
            let sent = try await sender.send(Self.offer(), to: device, from: TransferBytes(Self.content))
            let offer = try #require(await offers.first { _ in true })
            let buffer = TransferBuffer()
            offer.accept(into: buffer)
            #expect(await offer.outcome() == .completed)
            #expect(await sent.outcome() == .completed)
            #expect(buffer.bytes == Self.content)
            #expect(offer.progress.hasOwnConnection && sent.progress.hasOwnConnection)
        }
    }

    @Test(
        "through the proxy of the server, which learns the addresses that the other side does not",
        arguments: ServerKind.allCases)
    func proxy(kind: ServerKind) async throws {
        let server = try await kind.shared(ServerOptions { $0.offersFileProxy = true })
        try await withTwo(server) { sender, receiver, device in
            let offers = receiver.offers()
            let sent = try await sender.send(Self.offer(), to: device, from: TransferBytes(Self.content))
            let offer = try #require(await offers.first { _ in true })
            let buffer = TransferBuffer()
            offer.accept(into: buffer)
            #expect(await offer.outcome() == .completed)
            #expect(await sent.outcome() == .completed)
            #expect(buffer.bytes == Self.content)
            #expect(offer.progress.hasOwnConnection && sent.progress.hasOwnConnection)
        }
    }

    /// Receives files as far as others can see, and keeps what they offer.
    private struct Noting: SessionExtension {
        let elements: AsyncStream<JingleElement>.Continuation
        var features: [String] {
            [OfferedFile.namespace, SOCKS5Transport.name.namespace, InBandTransport.name.namespace]
        }
        var handlers: [IQHandler] { [IQHandler(JingleElement.self) { element, _ in elements.yield(element) }] }
    }

    @Test("a proxy that this device does not connect to is not offered", arguments: ServerKind.allCases)
    func unusableProxy(kind: ServerKind) async throws {
        let server = try await kind.shared(ServerOptions { $0.offersFileProxy = true })
        let (elements, noted) = AsyncStream.makeStream(of: JingleElement.self)
        var hers = try server.configuration(try await server.newAccount("juliet"))
        hers.add { _ in Noting(elements: noted) }
        var his = try server.configuration(try await server.newAccount("romeo"))
        // The proxy of the test is on this machine.
        his.add { DirectTransfer($0) }
        let configuration = his
        try await Client(hers).run { second in
            try await second.send(Presence())
            try await Client(configuration).run { first in
                try await first.send(Presence())
                let device = try #require(await second.address)
                let sender = try #require(first[DirectTransfer.self])
                try await withDeadline(.seconds(120)) {
                    let sent = try await sender.send(Self.offer(), to: device, from: TransferBytes(Self.content))
                    let element = try #require(await elements.first { $0.action == .sessionInitiate })
                    guard case .inBand? = element.contents.first?.transport else {
                        Issue.record("\(element)")
                        return
                    }
                    sent.cancel()
                }
            }
        }
    }

    @Test("a file with another hash than announced is refused", arguments: [ServerKind.prosody012, .ejabberd2301])
    func damaged(kind: ServerKind) async throws {
        try await withTwo(try await kind.shared()) { sender, receiver, device in
            let offers = receiver.offers()
            let wrong = FileHash(algorithm: "sha-256", value: [UInt8](repeating: 7, count: 32))
            let sent = try await sender.send(
                Self.offer(hashes: [wrong]), to: device, from: TransferBytes(Self.content))
            let offer = try #require(await offers.first { _ in true })
            offer.accept(into: TransferBuffer())
            #expect(await offer.outcome() == .failed(.damaged))
            guard case .failed(let failure) = await sent.outcome() else {
                Issue.record("completed")
                return
            }
            #expect(failure.code == .tooLarge || failure.code == .cancelledByPeer)
        }
    }

    @Test("declined, cancelled and too large", arguments: [ServerKind.prosody012, .ejabberd2301])
    func refused(kind: ServerKind) async throws {
        var policy = DirectTransferPolicy()
        policy.maximumSize = 1000
        try await withTwo(try await kind.shared(), policy) { sender, receiver, device in
            let offers = receiver.offers()
            var iterator = offers.makeAsyncIterator()
            let declined = try await sender.send(Self.offer(), to: device, from: TransferBytes(Self.content))
            try #require(await iterator.next()).decline()
            guard case .failed(let first) = await declined.outcome() else { throw DeadlinePassed() }
            #expect(first.code == .declined)

            let large = try await sender.send(Self.offer(), to: device, from: TransferBytes(Self.content))
            let offer = try #require(await iterator.next())
            offer.accept(into: TransferBuffer())
            #expect(await offer.outcome() == .failed(.tooLarge))
            guard case .failed(let second) = await large.outcome() else { throw DeadlinePassed() }
            #expect(second.code == .tooLarge)

            let cancelled = try await sender.send(Self.offer(), to: device, from: TransferBytes(Self.content))
            let third = try #require(await iterator.next())
            cancelled.cancel()
            #expect(await cancelled.outcome() == .failed(.cancelled))
            guard case .failed(let failure) = await third.outcome() else { throw DeadlinePassed() }
            #expect(failure.code == .cancelledByPeer)
        }
    }

    @Test("a transfer that stands still ends on both sides", arguments: [ServerKind.prosody012])
    func idle(kind: ServerKind) async throws {
        /// Never has the next bytes.
        struct Stuck: TransferSource {
            func read(upTo count: Int) async throws -> [UInt8] {
                try await Task.sleep(for: .seconds(3600))
                return []
            }
        }
        var policy = DirectTransferPolicy()
        policy.idleTimeout = .seconds(1)
        try await withTwo(try await kind.shared(), policy) { sender, receiver, device in
            let offers = receiver.offers()
            let sent = try await sender.send(Self.offer(), to: device, from: Stuck())
            let offer = try #require(await offers.first { _ in true })
            offer.accept(into: TransferBuffer())
            for outcome in [await offer.outcome(), await sent.outcome()] {
                guard case .failed(let failure) = outcome else { throw DeadlinePassed() }
                #expect([.timedOut, .cancelled, .cancelledByPeer].contains(failure.code))
            }
        }
    }

    @Test("a device that cannot receive files is told at once", arguments: [ServerKind.prosody012])
    func impossible(kind: ServerKind) async throws {
        let server = try await kind.shared()
        try await server.withTwo { romeo, juliet in
            let device = try #require(await juliet.address)
            let transfers = DirectTransfer(romeo)
            #expect(try await !transfers.isPossible(to: device))
            let error = await #expect(throws: ClientError.self) {
                _ = try await transfers.send(Self.offer(), to: device, from: TransferBytes([]))
            }
            #expect(error?.code == .refused)
        }
    }

    @Test("a stranger learns nothing, and its offer is not shown", arguments: ServerKind.allCases)
    func stranger(kind: ServerKind) async throws {
        try await withTwo(try await kind.shared(), knowEachOther: false) { sender, receiver, device in
            let offers = receiver.offers()
            let element = JingleElement(
                .sessionInitiate, sessionID: "evil",
                contents: [
                    JingleContent(
                        id: "file", senders: "initiator", file: Self.offer(),
                        transport: .inBand(InBandTransport(id: "a", blockSize: 4096)))
                ])
            let first = await #expect(throws: ClientError.self) {
                try await sender.session.request(element, to: device)
            }
            let absent = try JID(local: device.local, domain: device.domain, resource: "nobody")
            let second = await #expect(throws: ClientError.self) {
                try await sender.session.request(element, to: absent)
            }
            #expect(first?.stanzaError?.condition == second?.stanzaError?.condition)
            // One who may know it comes after the stranger, and is the first that is shown.
            let own = try #require(await receiver.session.address)
            _ = try await receiver.session.request(element, to: own)
            let offer = await offers.first { _ in true }
            #expect(offer?.peer == own)
        }
    }

    @Test("only some offers of one account wait", arguments: [ServerKind.prosody012, .ejabberd2301])
    func flood(kind: ServerKind) async throws {
        try await withTwo(try await kind.shared()) { sender, receiver, device in
            let offers = receiver.offers()
            let session = sender.session
            for number in 0..<20 {
                let element = JingleElement(
                    .sessionInitiate, sessionID: "flood-\(number)",
                    contents: [
                        JingleContent(
                            id: "file", senders: "initiator", file: Self.offer(),
                            transport: .inBand(InBandTransport(id: "a\(number)", blockSize: 4096)))
                    ])
                _ = try await session.request(element, to: device)
            }
            _ = try await session.ping(device)
            var count = 0
            for await _ in offers {
                count += 1
                if count == TransferLimits.openOffersOfOne { break }
            }
            #expect(receiver.openOffers == TransferLimits.openOffersOfOne)
        }
    }

    /// Agrees to everything, and sends nothing by itself.
    private struct Agreeing: SessionExtension {
        var handlers: [IQHandler] { [IQHandler(JingleElement.self) { _, _ in }] }
    }

    @Test("bytes out of order, too many bytes and unknown bytestreams are refused", arguments: [ServerKind.prosody012])
    func wrongBytes(kind: ServerKind) async throws {
        let server = try await kind.shared()
        var peer = try server.configuration(try await server.newAccount("mallory"))
        peer.add { _ in Agreeing() }
        var own = try server.configuration(try await server.newAccount("juliet"))
        own.add { DirectTransfer($0) }
        let configuration = own
        try await Client(peer).run { session in
            try await session.send(Presence())
            try await Client(configuration).run { second in
                try await second.send(Presence())
                try await second.ping()
                let device = try #require(await second.address)
                let receiver = try #require(second[DirectTransfer.self])
                try await withDeadline(.seconds(120)) { try await check(session, receiver, device) }
            }
        }

        @Sendable func check(_ session: Session, _ receiver: DirectTransfer, _ device: JID) async throws {
            var iterator = receiver.offers().makeAsyncIterator()
            for (number, blocks) in [[(0, 10), (2, 10)], [(0, 50)], [(0, 16_000)]].enumerated() {
                let element = JingleElement(
                    .sessionInitiate, sessionID: "odd-\(number)",
                    contents: [
                        JingleContent(
                            id: "file", senders: "initiator",
                            file: OfferedFile(name: "a", size: 40),
                            transport: .inBand(InBandTransport(id: "b\(number)", blockSize: 4096)))
                    ])
                await #expect(throws: ClientError.self) {
                    try await session.request(InBandOpening(id: "b\(number)", blockSize: 4096), to: device)
                }
                _ = try await session.request(element, to: device)
                let offer = try #require(await iterator.next())
                offer.accept(into: TransferBuffer())
                _ = await offer.updates().first { $0.phase == .transferring }
                _ = try await session.request(InBandOpening(id: "b\(number)", blockSize: 4096), to: device)
                for (sequence, count) in blocks {
                    let block = InBandBlock(
                        id: "b\(number)", sequence: UInt16(sequence), bytes: [UInt8](repeating: 1, count: count))
                    _ = try? await session.request(block, to: device)
                }
                guard case .failed(let failure) = await offer.outcome() else { throw DeadlinePassed() }
                #expect([.damaged, .protocolViolation].contains(failure.code))
            }
        }
    }
}
