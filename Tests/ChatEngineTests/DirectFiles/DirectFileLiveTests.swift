import ChatFixtures
import ChatStore
import Foundation
import MessageSemantics
import ServerFixtures
import Testing
import XMPPAddress
import XMPPClient
import XMPPStanzas

@testable import ChatEngine

@Suite("Files from device to device, where the server takes none", .timeLimit(.minutes(15)))
struct DirectFileLiveTests {
    private static let small = [UInt8]((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
    private static let large = [UInt8](repeating: 7, count: 6 << 20)

    private static var policy: ChatAccountPolicy {
        var policy = ChatAccountPolicy()
        policy.transfersFilesDirectly = true
        return policy
    }

    private static func server() async throws -> RunningServer {
        try await PrivateProsody.shared(ServerOptions { $0.removedModules = ["http_file_share"] })
    }

    /// Two people who see each other, and do not run.
    private static func two(port: UInt16? = nil) async throws -> (romeo: FileDevice, juliet: FileDevice) {
        let server = try await server()
        let romeo = try await FileDevice("romeo", on: server, policy: policy)
        let juliet = try await FileDevice("juliet", on: server, port: port, policy: policy)
        try await romeo.person.befriend(juliet.person)
        return (romeo, juliet)
    }

    /// Returns when a file of a queued message is at a step.
    private static func wait(
        for device: FileDevice, _ message: MessageID, _ isWanted: (FileSendingStep?) -> Bool
    ) async {
        for await step in device.person.account.uploads.values(of: message, at: 0) where isWanted(step) { return }
    }

    /// Returns when an offer is in a state.
    private static func waitForOffer(
        _ message: MessageID, at device: FileDevice, _ isWanted: (DirectOffers.State?) -> Bool
    ) async {
        for await state in device.person.account.directOffers.values(of: message) where isWanted(state) { return }
    }

    /// The message in which somebody sees an offer.
    private static func offer(
        of name: String, to device: FileDevice, from other: FileDevice
    ) async throws -> StoredMessage {
        let isOffer = { @Sendable (message: StoredMessage) in
            !message.isOutgoing && message.text.attachments.first?.name == name
        }
        try await device.person.wait(for: other.person) { $0.contains(where: isOffer) }
        return try #require(try await device.person.timeline(with: other.person.address).last(where: isOffer))
    }

    private static func send(
        _ bytes: [UInt8], _ name: String, _ body: String = "", from device: FileDevice, to other: FileDevice
    ) async throws -> MessageID {
        let file = try await device.attachment(bytes, .file, "text/csv", name)
        return try await device.person.account.send(
            .text(MessageText(body, attachments: [file])), in: device.person.key(other.person.address))
    }

    private static func state(of message: MessageID, _ device: FileDevice) async throws -> MessageState? {
        try await device.person.account.state(of: message) { $0 != .queued }
    }

    private static func failure(_ code: AttachmentFailure.Code) -> MessageState {
        .failed(FailureReason(.notSent, condition: code.rawValue))
    }

    @Test("a file is offered, accepted and received in both directions, and holds up no other message")
    func bothWays() async throws {
        let (romeo, juliet) = try await Self.two()
        try await romeo.person.whileRunning {
            try await juliet.person.whileRunning {
                for (sender, receiver) in [(romeo, juliet), (juliet, romeo)] {
                    let sent = try await Self.send(Self.small, "a.csv", "The accounts", from: sender, to: receiver)
                    let offered = try await Self.offer(of: "a.csv", to: receiver, from: sender)
                    await Self.wait(for: sender, sent) { $0 == .offered }
                    // Nothing comes before it is accepted, and what is written later is not late.
                    #expect(receiver.person.account.directOffers.state(of: offered.id) == .waiting)
                    let attachment = try #require(offered.text.attachments.first)
                    #expect(offered.text.body == "The accounts" && attachment.mediaType == "text/csv")
                    #expect(attachment.size == Int64(Self.small.count) && !attachment.isLocal)
                    #expect(attachment.url == nil && attachment.contentHash == nil)
                    try await sender.person.write("Look at it", to: receiver.person)
                    try await receiver.person.wait(for: sender.person) { $0.last?.text.body == "Look at it" }
                    #expect(
                        try await sender.person.store.read { reader throws(StoreError) in
                            try reader.state(of: sent)
                        } == .queued)

                    let fetcher = try #require(await receiver.person.account.fetcher)
                    #expect(await fetcher.isObtainable(0, of: offered.id))
                    let path = try await fetcher.fetch(0, of: offered.id)
                    #expect(try [UInt8](Data(contentsOf: URL(filePath: path))) == Self.small)
                    #expect(try await Self.state(of: sent, sender) == .delivered)
                    await Self.wait(for: sender, sent) { $0 == nil }
                    await Self.waitForOffer(offered.id, at: receiver) { $0 == nil }
                    #expect(await !fetcher.isObtainable(0, of: offered.id))
                    let stored = try await Self.offer(of: "a.csv", to: receiver, from: sender)
                    #expect(stored.text.attachments.first?.isLocal == true && stored.id == offered.id)

                    // Both sides have one name for the message.
                    let id = try #require(stored.originID)
                    let key = receiver.person.key(sender.person.address)
                    _ = try await receiver.person.account.send(.reactions(to: .sent(id: id), ["👍"]), in: key)
                    try await sender.person.wait(for: receiver.person) { timeline in
                        timeline.contains { $0.id == sent && $0.reactions.map(\.emoji) == ["👍"] }
                    }
                }
            }
        }
    }

    @Test("an offer is declined, cancelled, and too large for the limit")
    func refused() async throws {
        let (romeo, juliet) = try await Self.two()
        try await romeo.person.whileRunning {
            try await juliet.person.whileRunning {
                let declined = try await Self.send(Self.small, "no.csv", from: romeo, to: juliet)
                let first = try await Self.offer(of: "no.csv", to: juliet, from: romeo)
                juliet.person.account.directOffers.decline(first.id)
                #expect(try await Self.state(of: declined, romeo) == Self.failure(.declined))
                #expect(juliet.person.account.directOffers.state(of: first.id) == .declined)
                let fetcher = try #require(await juliet.person.account.fetcher)
                let gone = await #expect(throws: AttachmentFailure.self) { try await fetcher.fetch(0, of: first.id) }
                #expect(gone?.code == .fileGone)

                let cancelled = try await Self.send(Self.small, "oops.csv", from: romeo, to: juliet)
                let second = try await Self.offer(of: "oops.csv", to: juliet, from: romeo)
                await Self.wait(for: romeo, cancelled) { $0 == .offered }
                try await romeo.person.account.cancel(cancelled)
                await Self.waitForOffer(second.id, at: juliet) { $0 == nil }
                await Self.wait(for: romeo, cancelled) { $0 == nil }

                let large = try await Self.send(Self.small, "large.csv", from: romeo, to: juliet)
                let third = try await Self.offer(of: "large.csv", to: juliet, from: romeo)
                let refused = await #expect(throws: AttachmentFailure.self) {
                    try await fetcher.fetch(0, of: third.id, limit: 1000)
                }
                #expect(refused?.code == .tooLarge)
                // It waits on, for a larger limit.
                _ = try await fetcher.fetch(0, of: third.id)
                #expect(try await Self.state(of: large, romeo) == .delivered)
            }
        }
    }

    @Test("reading an offer, or a report that it was read, does not end it")
    func readOffer() async throws {
        let (romeo, juliet) = try await Self.two()
        try await romeo.person.whileRunning {
            try await juliet.person.whileRunning {
                let sent = try await Self.send(Self.small, "a.csv", from: romeo, to: juliet)
                let offered = try await Self.offer(of: "a.csv", to: juliet, from: romeo)
                await Self.wait(for: romeo, sent) { $0 == .offered }
                let key = juliet.person.key(romeo.person.address)
                try await juliet.person.account.markRead(upTo: offered.id, in: key)
                // What another program might say.
                let (session, id) = (try #require(juliet.person.account.session), try #require(offered.originID))
                let address = romeo.person.address
                _ = try await session.send(Message.displayedMarker(for: id, to: address, type: .chat))
                _ = try await session.send(Message.receipt(for: id, to: address, type: .chat))
                try await juliet.person.write("What is it?", to: romeo.person)
                try await romeo.person.wait(for: juliet.person) { $0.last?.text.body == "What is it?" }
                #expect(
                    try await romeo.person.store.read { reader throws(StoreError) in
                        try reader.state(of: sent)
                    } == .queued)
                #expect(juliet.person.account.directOffers.state(of: offered.id) == .waiting)
                let fetcher = try #require(await juliet.person.account.fetcher)
                _ = try await fetcher.fetch(0, of: offered.id)
                #expect(try await Self.state(of: sent, romeo) == .delivered)
            }
        }
    }

    @Test("a file waits for a contact who is offline, and starts again after the contact was gone in the middle")
    func interrupted() async throws {
        let (romeo, juliet) = try await Self.two()
        try await romeo.person.whileRunning {
            let sent = try await Self.send(Self.large, "film.csv", from: romeo, to: juliet)
            await Self.wait(for: romeo, sent) { $0 == .awaitingContact }
            let first = try await juliet.person.whileRunning {
                let offered = try await Self.offer(of: "film.csv", to: juliet, from: romeo)
                let fetcher = try #require(await juliet.person.account.fetcher)
                let fetching = Task { try await fetcher.fetch(0, of: offered.id) }
                await Self.wait(for: romeo, sent) { $0?.percent ?? 0 > 0 && $0 != .uploading(0) }
                await juliet.person.account.close()
                guard case .failure(let error as AttachmentFailure) = await fetching.result else {
                    throw CancellationError()
                }
                #expect(error.code == .interrupted)
                await Self.waitForOffer(offered.id, at: juliet) { $0 == nil }
                return offered
            }
            await Self.wait(for: romeo, sent) { $0 == .awaitingContact }
            try await juliet.person.whileRunning {
                // The same message shows the offer again.
                await Self.waitForOffer(first.id, at: juliet) { $0 == .waiting }
                let fetcher = try #require(await juliet.person.account.fetcher)
                let path = try await fetcher.fetch(0, of: first.id)
                #expect(try [UInt8](Data(contentsOf: URL(filePath: path))) == Self.large)
                #expect(try await Self.state(of: sent, romeo) == .delivered)
                #expect(try await juliet.person.timeline(with: romeo.person.address).count == 1)
            }
        }
    }

    @Test("a lost connection that is resumed interrupts nothing")
    func resumed() async throws {
        let server = try await Self.server()
        let proxy = try FaultProxy(to: server.port)
        defer { proxy.stop() }
        let (romeo, juliet) = try await Self.two(port: proxy.port)
        try await romeo.person.whileRunning {
            try await juliet.person.whileRunning {
                let sent = try await Self.send(Self.large, "film.csv", from: romeo, to: juliet)
                let offered = try await Self.offer(of: "film.csv", to: juliet, from: romeo)
                let fetcher = try #require(await juliet.person.account.fetcher)
                let fetching = Task { try await fetcher.fetch(0, of: offered.id) }
                await Self.wait(for: romeo, sent) { $0?.percent ?? 0 > 0 && $0 != .uploading(0) }
                proxy.resetConnections()
                let path = try await fetching.value
                #expect(try [UInt8](Data(contentsOf: URL(filePath: path))) == Self.large)
                #expect(try await Self.state(of: sent, romeo) == .delivered)
            }
        }
    }

    @Test("what cannot go from device to device fails with its reason: no contact, a program that receives none")
    func impossible() async throws {
        let server = try await Self.server()
        let romeo = try await FileDevice("romeo", on: server, policy: Self.policy)
        let stranger = try await FileDevice("nurse", on: server, policy: Self.policy)
        let older = try await FileDevice("juliet", on: server)
        try await romeo.person.befriend(older.person)
        try await romeo.person.whileRunning {
            try await stranger.person.whileRunning {
                let first = try await Self.send(Self.small, "a.csv", from: romeo, to: stranger)
                #expect(try await Self.state(of: first, romeo) == Self.failure(.noUploadService))
            }
            try await older.person.whileRunning {
                let second = try await Self.send(Self.small, "b.csv", from: romeo, to: older)
                #expect(try await Self.state(of: second, romeo) == Self.failure(.noDirectTransfers))
            }
        }
    }

    @Test("in an encrypted conversation nothing is sent in clear")
    func encrypted() async throws {
        let server = try await Self.server()
        let romeo = try await FileDevice("romeo", on: server, policy: Self.policy, protection: SealedFiles())
        let juliet = try await FileDevice("juliet", on: server, policy: Self.policy)
        try await romeo.person.befriend(juliet.person)
        try await romeo.person.whileRunning {
            try await juliet.person.whileRunning {
                let sent = try await Self.send(Self.small, "secret.csv", from: romeo, to: juliet)
                #expect(try await Self.state(of: sent, romeo) == Self.failure(.onlyInClear))
                #expect(try await juliet.person.timeline(with: romeo.person.address).isEmpty)
            }
        }
    }
}

/// Seals files, and leaves texts as they are.
private struct SealedFiles: ContentProtection {
    func isSealed(_ message: Message) -> Bool { false }

    func open(_ message: Message, by route: ReceivedRoute) async throws(ProtectionError) -> OpenedMessage {
        OpenedMessage(message)
    }

    func prepare(_ conversation: ConversationAddress) async throws(ProtectionError) {}

    func seal(
        _ message: Message, in conversation: ConversationAddress
    ) async throws(ProtectionError) -> SealedMessage { SealedMessage(message) }

    func sealing(
        _ file: ChatStore.Attachment, in conversation: ConversationAddress
    ) async throws(ProtectionError) -> FileSealing? {
        FileSealing(FlippingCipher(isSealing: true)) { $0 }
    }

    func opening(_ file: ChatStore.Attachment) throws(ProtectionError) -> FileOpening? { nil }

    func stored(_ change: ProtectionChange) async {}

    func discarded(_ change: ProtectionChange) async {}
}
