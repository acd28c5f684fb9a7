import Cryptography
import Foundation
import OMEMO
import OMEMOFixtures
import Testing
import XMLStreaming

/// Conversations with the other implementations, recorded: this side's randomness is seeded, so it must produce the
/// bytes that the other side accepted then, and read what the other side wrote. They need none of the other implementations.
///
/// `HONGYAN_RECORD=1 Scripts/test --filter TranscriptTests` records them again with the packages of `Scripts/packages omemo`.
@Suite("Recorded conversations", .timeLimit(.minutes(5)))
struct TranscriptTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")
    private static let judgeDevice: UInt32 = 27_183
    private static var isRecording: Bool { ProcessInfo.processInfo.environment["HONGYAN_RECORD"] != nil }

    private static func device() throws -> Device {
        try Device("alice@example.org", id: 31_415, cryptography: SeededCryptography(seed: 2_026))
    }

    private static func text(_ value: some XMLEncodable) -> String {
        var writer = XMLWriter()
        writer.write(value)
        return String(decoding: writer.takeBytes(), as: UTF8.self)
    }

    @Test(
        "the elements are those that twomemo and oldmemo accepted", arguments: OMEMOGeneration.allCases, [true, false])
    func elements(generation: OMEMOGeneration, isInitiator: Bool) throws {
        let name = "\(generation)-\(isInitiator ? "initiated" : "accepted").txt"
        if Self.isRecording { try Self.recordElements(generation, isInitiator: isInitiator).write(to: name) }
        try replay(name, generation)
    }

    @Test("the keys are those that libomemo-c accepted", arguments: OMEMOGeneration.allCases, [true, false])
    func keys(generation: OMEMOGeneration, isInitiator: Bool) throws {
        let name = "\(generation)-\(isInitiator ? "initiated" : "accepted")-libomemo.txt"
        if Self.isRecording { try Self.recordKeys(generation, isInitiator: isInitiator).write(to: name) }
        try replay(name, generation)
    }

    private func replay(_ name: String, _ generation: OMEMOGeneration) throws {
        let device = try Self.device()
        var lines = 0
        let file = Self.folder.appending(path: name)
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split(separator: " ", maxSplits: 2).map(String.init)
            try #require(words.count == 3, "\(line)")
            lines += 1
            switch words[0] {
            case "bundle":
                if words[1] == "judge" {
                    try device.initiate(with: OMEMOBundle(from: XMLElement(parsing: words[2])))
                } else {
                    #expect(Self.text(try device.bundle(generation)) == words[2])
                }
            case "out":
                let plaintext = try #require(Base64.decode(words[1]))
                let element = try device.element(plaintext, for: Self.judgeDevice, generation)
                #expect(Self.text(element) == words[2], "line \(lines)")
            case "in":
                let element = try OMEMOElement(from: XMLElement(parsing: words[2]))
                #expect(try device.decrypt(element) == Base64.decode(words[1]), "line \(lines)")
            case "key-out":
                let key = try device.encrypt(try #require(Base64.decode(words[1])))
                #expect(Transcript.text(key) == words[2], "line \(lines)")
            case "key-in":
                let parts = words[2].split(separator: " ")
                let bytes = try #require(Base64.decode(String(parts[1])))
                let key = OutgoingKey(bytes: bytes, isKeyExchange: parts[0] == "exchange")
                #expect(try device.decrypt(key, generation).plaintext == Base64.decode(words[1]), "line \(lines)")
            default: Issue.record("\(line)")
            }
        }
        #expect(lines > 20)
    }

    // MARK: Recording

    private struct Transcript {
        var lines: [String]

        mutating func add(_ kind: String, _ what: String, _ text: String) { lines.append("\(kind) \(what) \(text)") }

        func write(to name: String) throws {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: folder.appending(path: name))
        }

        static func text(_ key: OutgoingKey) -> String {
            "\(key.isKeyExchange ? "exchange" : "message") \(Base64.encode(key.bytes))"
        }
    }

    private static func recordElements(_ generation: OMEMOGeneration, isInitiator: Bool) throws -> Transcript {
        let device = try device()
        let judge = try Judge(generation, "bob@example.org", id: judgeDevice)
        var transcript = Transcript(
            lines: ["# Written by TranscriptTests with \(generation == .legacy ? "oldmemo" : "twomemo")."])
        func out(_ content: String) throws {
            let element = try device.element([UInt8](content), for: judgeDevice, generation)
            #expect(try judge.decrypt(element, from: device) == [UInt8](content))
            transcript.add("out", Base64.encode([UInt8](content)), text(element))
        }
        func receive(_ element: OMEMOElement, _ content: String) throws {
            #expect(try device.decrypt(element) == [UInt8](content))
            transcript.add("in", Base64.encode([UInt8](content)), text(element))
        }
        if isInitiator {
            let bundle = try judge.published().bundle
            transcript.add("bundle", "judge", text(bundle))
            try device.initiate(with: bundle)
            try out("first")
        } else {
            let bundle = try device.bundle(generation)
            transcript.add("bundle", "own", text(bundle))
            try receive(judge.encrypt([UInt8]("first"), for: device, bundle: bundle), "first")
        }
        for round in 0..<6 {
            let late = try judge.encrypt([UInt8]("late \(round)"), for: device)
            try receive(judge.encrypt([UInt8]("鸿雁 \(round)"), for: device), "鸿雁 \(round)")
            try out("one \(round)")
            try out("two \(round)")
            try receive(late, "late \(round)")
        }
        return transcript
    }

    private static func recordKeys(_ generation: OMEMOGeneration, isInitiator: Bool) throws -> Transcript {
        let device = try device()
        let judge = try LibraryJudge(generation)
        var transcript = Transcript(lines: ["# Written by TranscriptTests with libomemo-c."])
        func out(_ content: String) throws {
            let key = try device.encrypt([UInt8](content))
            #expect(try judge.decrypt(key) == [UInt8](content))
            transcript.add("key-out", Base64.encode([UInt8](content)), Transcript.text(key))
        }
        func receive(_ key: OutgoingKey, _ content: String) throws {
            #expect(try device.decrypt(key, generation).plaintext == [UInt8](content))
            transcript.add("key-in", Base64.encode([UInt8](content)), Transcript.text(key))
        }
        if isInitiator {
            let bundle = try judge.published()
            transcript.add("bundle", "judge", text(bundle))
            try device.initiate(with: bundle)
            try out("first")
        } else {
            transcript.add("bundle", "own", text(try device.bundle(generation)))
            try judge.start(with: device)
            try receive(judge.encryptedBytes([UInt8]("first")), "first")
        }
        for round in 0..<6 {
            let late = try judge.encryptedBytes([UInt8]("late \(round)"))
            try receive(judge.encryptedBytes([UInt8]("鸿雁 \(round)")), "鸿雁 \(round)")
            try out("one \(round)")
            try out("two \(round)")
            try receive(late, "late \(round)")
        }
        return transcript
    }
}
