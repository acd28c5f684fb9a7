import Foundation
import MessagePayloads
import ServerFixtures
import Testing
import XMPPAddress
import XMPPClient
import XMPPStanzas

@testable import DirectTransfer

/// The other device is a program with slixmpp, whose bytestreams are written by somebody else.
@Suite("Files to and from another implementation", .timeLimit(.minutes(15)))
struct ForeignTransferTests {
    private static let content = [UInt8]((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 17 >> 2) })
    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Interoperation/transfer.py").path

    private func with(
        _ server: RunningServer, _ policy: DirectTransferPolicy, role: String, file: String,
        _ body: @escaping @Sendable (_ transfers: DirectTransfer, _ device: JID) async throws -> Void
    ) async throws {
        let (mine, theirs) = (try await server.newAccount("romeo"), try await server.newAccount("python"))
        var configuration = try server.configuration(mine)
        configuration.add { DirectTransfer($0, policy: policy, permitsLoopback: true) }
        let device = try JID(theirs.address + "/python")
        try await Client(configuration).run { session in
            try await session.send(Presence())
            let own = try #require(await session.address)
            let transfers = try #require(session[DirectTransfer.self])
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    let ran = try await OutsideProgram.run([
                        "/usr/bin/python3", Self.script, role, theirs.address, theirs.password, server.host,
                        String(server.port), server.authorityFile, file, own.description,
                    ])
                    #expect(ran.status == 0, "\(ran.output)")
                }
                group.addTask { try await withDeadline(.seconds(150)) { try await body(transfers, device) } }
                try await group.waitForAll()
            }
        }
    }

    private func temporaryFile() -> String {
        FileManager.default.temporaryDirectory.appendingPathComponent("transfer-\(UUID().uuidString)").path
    }

    private func send(_ transfers: DirectTransfer, to device: JID) async throws -> Transfer {
        while (try? await transfers.isPossible(to: device)) != true { try await Task.sleep(for: .milliseconds(50)) }
        let file = OfferedFile(
            name: "goose.bin", mediaType: "application/octet-stream", size: UInt64(Self.content.count))
        return try await transfers.send(file, to: device, from: TransferBytes(Self.content))
    }

    @Test(
        "sent inside of the XML stream, in blocks of the size that the receiver wants",
        arguments: [ServerKind.prosody012, .ejabberd2301])
    func sendInBand(kind: ServerKind) async throws {
        let path = temporaryFile()
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await with(try await kind.shared(), DirectTransferPolicy(), role: "receive", file: path) {
            transfers, device in
            let sent = try await send(transfers, to: device)
            #expect(await sent.outcome() == .completed)
            #expect(!sent.progress.hasOwnConnection)
        }
        #expect(FileManager.default.contents(atPath: path).map([UInt8].init) == Self.content)
    }

    @Test("sent through a connection that the receiver makes", arguments: [ServerKind.prosody012, .ejabberd2301])
    func sendDirectly(kind: ServerKind) async throws {
        let path = temporaryFile()
        defer { try? FileManager.default.removeItem(atPath: path) }
        var policy = DirectTransferPolicy()
        policy.disclosesAddresses = true
        try await with(try await kind.shared(), policy, role: "receive", file: path) { transfers, device in
            let sent = try await send(transfers, to: device)
            #expect(await sent.outcome() == .completed)
            #expect(sent.progress.hasOwnConnection)
        }
        #expect(FileManager.default.contents(atPath: path).map([UInt8].init) == Self.content)
    }

    @Test("received inside of the XML stream", arguments: [ServerKind.prosody012, .ejabberd2301])
    func receive(kind: ServerKind) async throws {
        let path = temporaryFile()
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(FileManager.default.createFile(atPath: path, contents: Data(Self.content)))
        try await with(try await kind.shared(), DirectTransferPolicy(), role: "send", file: path) { transfers, device in
            let offer = try #require(await transfers.offers().first { _ in true })
            #expect(offer.peer == device)
            #expect(offer.file.name == "snake.bin")
            let buffer = TransferBuffer()
            offer.accept(into: buffer)
            #expect(await offer.outcome() == .completed)
            #expect(buffer.bytes == Self.content)
        }
    }
}
