import Foundation

@testable import ChaosClient

/// What the logs of the devices say about the encryption of the messages: for whom they were encrypted, and whether the
/// text of any was on the wire, in which archives are part of what was received.
struct ChaosSecrecy: Sendable {
    /// The encryption of one message, which may have been sent more than once.
    struct Sealing: Sendable {
        /// The devices that could decrypt each copy.
        var receivers: Set<Substring>
        /// In seconds since 1970, as in the logs.
        var last: Double
    }

    private var sealings: [Substring: Sealing] = [:]
    /// The first start of each device.
    private var starts: [String: Double] = [:]
    /// The number of each device in encrypted messages.
    private let numbers: [String: Substring]
    /// Lines of a log with a typed text on the wire.
    var leaks: [(device: String, body: String)] = []

    init(of devices: [ChaosDevice]) {
        numbers = Dictionary(
            devices.map { ($0.name, Substring($0.status.deviceID.map(String.init) ?? "-")) },
            uniquingKeysWith: { first, _ in first })
        for device in devices {
            let log = Data(device.log.utf8)
            for mark in [" started ", "“"] {
                for line in Self.lines(of: log, with: mark) { read(line, of: device.name) }
            }
            for line in Self.lines(of: log, with: " \(DeviceLog.sealed) ") where !line.contains("“") {
                read(line, of: device.name)
            }
        }
    }

    /// The lines with a mark. Few have one, and to split a log into all its lines takes minutes.
    private static func lines(of log: Data, with mark: String) -> [Substring] {
        var lines: [Substring] = []
        var rest = log.startIndex..<log.endIndex
        while let found = log.range(of: Data(mark.utf8), in: rest) {
            let start = log[..<found.lowerBound].lastIndex(of: 10).map { $0 + 1 } ?? log.startIndex
            let end = log[found.upperBound...].firstIndex(of: 10) ?? log.endIndex
            lines.append(Substring(String(decoding: log[start..<end], as: UTF8.self)))
            rest = end..<log.endIndex
        }
        return lines
    }

    private mutating func read(_ line: Substring, of device: String) {
        let words = line.split(separator: " ", maxSplits: 5)
        guard words.count > 1, let time = Double(words[0]) else { return }
        switch words[1] {
        case "started": if starts[device] == nil { starts[device] = time }
        case "in", "out":
            let quotes = line.split(separator: "“").dropFirst().compactMap { $0.split(separator: "”").first }
            if let body = quotes.first(where: Ledger.isBody) { leaks.append((device, String(body))) }
            guard words[1] == "out", words.count == 6,
                let keys = line.firstRange(of: " \(DeviceLog.sealed) ").map({ line[$0.upperBound...] })
            else { return }
            let receivers = Set(keys.split(separator: ","))
            let known = sealings[words[4]]
            sealings[words[4]] = Sealing(
                receivers: known?.receivers.intersection(receivers) ?? receivers, last: max(known?.last ?? 0, time))
        default: break
        }
    }

    /// Whether a message was last sent before a device existed.
    func isOlder(_ id: String, than device: ChaosDevice) -> Bool {
        guard let start = starts[device.name], let sealing = sealings[Substring(id)] else { return false }
        return sealing.last < start
    }

    /// Whether each copy of a message had a key for a device; `nil` if no copy is in a log.
    func isFor(_ device: ChaosDevice, _ id: String) -> Bool? {
        guard let number = numbers[device.name] else { return nil }
        return sealings[Substring(id)].map { $0.receivers.contains(number) }
    }
}
