import Foundation
import Synchronization
import TransportLayer
import Waiting
import XMLStreaming
import XMPPStanzas
import XMPPStream

@testable import XMPPClient

/// The life of a process, counted in visible steps. When they are used up, the process has no further effect.
final class Lifetime: Sendable {
    struct Over: Error {}

    private let left: Mutex<Int>
    let used = Mutex(0)

    init(steps: Int = .max) { left = Mutex(steps) }

    var isOver: Bool { left.withLock { $0 == 0 } }

    /// Ends the process.
    func end() { left.withLock { $0 = 0 } }

    /// Whether the process reaches this step.
    func step() -> Bool {
        used.withLock { $0 += 1 }
        return left.withLock { left in
            guard left > 0 else { return false }
            left -= 1
            return left > 0
        }
    }
}

/// A disk that survives the processes that write to it.
final class Disk: Sendable {
    struct Content {
        var resumption: ResumptionState?
        var received: [String] = []
        var acknowledged: [String] = []
        var unacknowledged: [String] = []
        /// The ids of all stanzas that were ever stored on it.
        var sent: [String] = []
        var commits = 0
    }

    private let storage = Mutex(Content())
    var content: Content { storage.withLock(\.self) }

    func apply(_ change: SessionChange) {
        storage.withLock { content in
            content.commits += 1
            content.resumption = change.resumption
            content.received += change.received.map(\.element).filter { $0.name.local == "message" }.compactMap {
                $0["id"]
            }
            content.acknowledged += change.acknowledged
            content.unacknowledged += change.unacknowledged.compactMap { try? $0.element()["id"] }
            for stanza in change.resumption?.unacknowledged ?? [] {
                if let id = try? stanza.element()["id"], !content.sent.contains(id) { content.sent.append(id) }
            }
        }
    }
}

/// The store of one process on a disk.
struct MortalStore: SessionStore {
    let disk: Disk
    let lifetime: Lifetime

    func loadSession() async throws -> SavedSession? {
        disk.content.resumption.map { SavedSession(resumption: $0) }
    }

    func commit(_ change: SessionChange) async throws {
        guard lifetime.step() else { throw Lifetime.Over() }
        disk.apply(change)
        guard lifetime.step() else { throw Lifetime.Over() }
    }
}

/// The connection of one process.
struct MortalTransport: Transport {
    let base: any Transport
    let lifetime: Lifetime

    private func step() throws(TransportError) {
        guard !lifetime.step() else { return }
        base.abort()
        throw TransportError(.connectionReset, "The process is dead.")
    }

    func read() async throws(TransportError) -> [UInt8] {
        let bytes = try await base.read()
        try step()
        return bytes
    }

    func write(_ bytes: [UInt8]) async throws(TransportError) {
        try step()
        try await base.write(bytes)
        try step()
    }

    func startTLS(_ configuration: TLSConfiguration) async throws(TransportError) -> NegotiatedTLS {
        try await base.startTLS(configuration)
    }

    func finishWriting() async throws(TransportError) { try await base.finishWriting() }
    func close() async { if lifetime.isOver { base.abort() } else { await base.close() } }
    func abort() { base.abort() }
    var tlsInformation: NegotiatedTLS? { get async { await base.tlsInformation } }
}

/// Hands over the answer to the binding of an address together with what comes after it, however late.
struct GatheringTransport: Transport {
    let base: any Transport
    /// Opened when the answer is here and the rest is waited for.
    let isHolding: Gate

    func read() async throws(TransportError) -> [UInt8] {
        let bytes = try await base.read()
        guard !isHolding.isOpen, String(decoding: bytes, as: UTF8.self).contains("<jid>") else { return bytes }
        isHolding.open()
        return bytes + (try await base.read())
    }

    func write(_ bytes: [UInt8]) async throws(TransportError) { try await base.write(bytes) }
    func startTLS(_ configuration: TLSConfiguration) async throws(TransportError) -> NegotiatedTLS {
        try await base.startTLS(configuration)
    }
    func finishWriting() async throws(TransportError) { try await base.finishWriting() }
    func close() async { await base.close() }
    func abort() { base.abort() }
    var tlsInformation: NegotiatedTLS? { get async { await base.tlsInformation } }
}

/// Writes messages, but tells the writer only when their acknowledgement was handled.
struct LateWritingTransport: Transport {
    let base: any Transport
    private let wasAcknowledged = Gate()
    private let isHandled = Gate()

    init(base: any Transport) { self.base = base }

    func read() async throws(TransportError) -> [UInt8] {
        // What was read before is handled when more is read.
        if wasAcknowledged.isOpen { isHandled.open() }
        let bytes = try await base.read()
        if String(decoding: bytes, as: UTF8.self).contains("<a ") { wasAcknowledged.open() }
        return bytes
    }

    func write(_ bytes: [UInt8]) async throws(TransportError) {
        try await base.write(bytes)
        if String(decoding: bytes, as: UTF8.self).contains("<message") { await isHandled.wait() }
    }

    func startTLS(_ configuration: TLSConfiguration) async throws(TransportError) -> NegotiatedTLS {
        try await base.startTLS(configuration)
    }
    func finishWriting() async throws(TransportError) { try await base.finishWriting() }
    func close() async { await base.close() }
    func abort() { base.abort() }
    var tlsInformation: NegotiatedTLS? { get async { await base.tlsInformation } }
}

func temporaryPath() -> String {
    FileManager.default.temporaryDirectory.appendingPathComponent("session-\(UUID().uuidString)").path
}

func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

extension ClientConfiguration {
    /// Limits the life of the client.
    mutating func live(_ lifetime: Lifetime, on disk: Disk) {
        let connect = transports.connect
        transports = TransportFactory { target throws(TransportError) in
            MortalTransport(base: try await connect(target), lifetime: lifetime)
        }
        store = MortalStore(disk: disk, lifetime: lifetime)
    }
}
