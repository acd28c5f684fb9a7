import ChatStore
import Foundation
import Glibc
import ProgramFixtures
import SampleMedia
import ServerFixtures
import Testing
import XMPPAddress

@testable import CommandLine

/// Whatever the programs print or write, no secret key is in it, in no notation.
@Suite("No key leaves the programs", .timeLimit(.minutes(5)))
struct KeyLeakTests {
    @Test("the identity key, session keys and keys of files are in no output, export, log or crash report")
    func leaks() async throws {
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        let romeo = try await Person("romeo", on: server)
        for person in [juliet, romeo] {
            try await person.run("login", "--encryption", "when-possible")
            try await person.run("keys", "publish", "--verbose")
        }
        try await juliet.befriend(romeo)
        var outputs: [String] = []
        func keep(_ result: Program.Result) { outputs += [result.output, result.errors] }
        let picture = try juliet.home.write("picture.png", SampleMedia.smallPicture)
        let his = try await romeo.listen("--fetch", "none", "--count", "2", "--verbose")
        keep(try await juliet.run("send", romeo.address, "good morrow", "--encrypted", "--json", "--verbose"))
        keep(try await juliet.run("send", romeo.address, "--picture", picture, "--encrypted", "--json", "--verbose"))
        keep(await his.result())
        let again = try await romeo.listen("--fetch", "all", "--count", "1")
        keep(try await juliet.run("send", romeo.address, "--picture", picture, "--encrypted"))
        keep(await again.result())
        // A message that waits, so that the queue has something to show.
        keep(try await juliet.bare(["send", romeo.address, "--picture", picture, "--queue", "--port", "1"]))
        for (person, other) in [(juliet, romeo), (romeo, juliet)] {
            for words in [
                ["history", other.address], ["history", other.address, "--json"], ["history", "--json"], ["queue"],
                ["queue", "--json"], ["export"], ["export", person.home.path + "/backup.jsonl"], ["doctor", "--store"],
            ] { keep(try await person.bare(words)) }
            for words in [
                ["keys"], ["keys", other.address, "--json"], ["keys", "link", "--qr"], ["keys", "audit", "--json"],
            ] { keep(try await person.bare(words)) }
            let chat = try person.chat(other.address)
            try await chat.waitForScreen("🔒> ")
            chat.type("/keys\r/help\r")
            try await chat.waitForScreen("Link for others")
            chat.type("/quit\r")
            keep(await chat.result())
            outputs.append(chat.screenText)
        }
        let crashing = try Program(
            "hongyan", ["listen", "--verbose"] + romeo.connection(), home: romeo.home,
            environment: ["SWIFT_BACKTRACE": "enable=yes,interactive=no,color=no,output-to=stderr"])
        try await crashing.waitForOutput("the session") { $0.contains("online") }
        crashing.signal(SIGSEGV)
        // The first one has the report written; after it the program goes on, because the signal was no fault of its own.
        try await crashing.poll("the report", seconds: 60) { crashing.errors.contains("Backtrace took") }
        crashing.signal(SIGSEGV)
        let crash = await crashing.result()
        #expect(crash.status == 128 + SIGSEGV)
        keep(crash)

        for person in [juliet, romeo] {
            let secrets = try await Secrets(of: person)
            #expect(secrets.links.count >= 2)
            secrets.checkItself()
            for text in outputs { #expect(!secrets.areIn(text), "\(text)") }
            for file in try Self.writtenFiles(of: person) {
                let content = String(decoding: try Data(contentsOf: URL(filePath: file)), as: UTF8.self)
                #expect(!secrets.areIn(content), "\(file)")
            }
        }
    }

    /// The files in a home but for those that keep the secrets.
    private static func writtenFiles(of person: Person) throws -> [String] {
        let secret: Set = ["chat.db", "chat.db-wal", "chat.db-shm", "identity-keys"]
        let files = FileManager.default.enumerator(atPath: person.home.path)?.compactMap { $0 as? String } ?? []
        #expect(files.contains("backup.jsonl"))
        return files.filter { !secret.contains(($0 as NSString).lastPathComponent) }
            .map { person.home.path + "/" + $0 }
            .filter {
                (try? FileManager.default.attributesOfItem(atPath: $0)[.type] as? FileAttributeType) == .typeRegular
            }
    }
}

/// The secret bytes that a person's programs keep, found in texts as hexadecimal digits, as Base64 and as they are.
private struct Secrets {
    /// The bytes of a secret that are too many for a coincidence.
    private static let length = 16

    private var pieces: Set<[UInt8]> = []
    private var seed: [UInt8] = []
    /// The links of files, with their keys.
    var links: [String] = []

    init(of person: Person) async throws {
        let file = person.home.path + "/data/hongyan/identity-keys"
        let text = try String(contentsOfFile: file, encoding: .utf8)
        for word in text.split(whereSeparator: { !($0.isLetter || $0.isNumber || "+/=".contains($0)) }) {
            guard word.count == 44, let data = Data(base64Encoded: String(word)) else { continue }
            seed = Array(data)
        }
        try #require(seed.count == 32)
        add(seed)
        let store = try await person.home.openStore()
        let address = try JID(person.address)
        let (records, urls) = try await store.read { reader throws(StoreError) in
            guard let account = try reader.account(address) else { return ([[UInt8]](), [String]()) }
            let records = try reader.protectionRecords(of: account.id, beginningWith: "omemo/")
                .filter { !$0.name.hasPrefix("omemo/key/") }.compactMap(\.value)
            var urls: [String] = []
            for conversation in try reader.conversations() {
                let messages = try reader.timeline(of: conversation.id, .newest, limit: 100)
                urls += messages.flatMap(\.text.attachments).compactMap(\.url)
            }
            return (records, urls)
        }
        await store.close()
        try #require(records.count > 100)
        for record in records { add(record) }
        links = urls.filter { $0.hasPrefix("aesgcm://") }
        for link in links {
            let key = link.split(separator: "#").last.map { Array($0.utf8) } ?? []
            add(Self.bytes(hexadecimal: key))
        }
        // Fingerprints are public, and in the sessions.
        for object in try await person.bare(["keys", "--json"]).objects {
            remove(Self.bytes(hexadecimal: Array((object["fingerprint"] as? String ?? "").utf8)))
        }
        for conversation in try await person.bare(["history", "--json"]).objects {
            guard let peer = conversation["with"] as? String else { continue }
            for object in try await person.bare(["keys", peer, "--json"]).objects {
                remove(Self.bytes(hexadecimal: Array((object["fingerprint"] as? String ?? "").utf8)))
            }
        }
    }

    private mutating func add(_ bytes: [UInt8]) { pieces.formUnion(Self.windows(of: bytes)) }

    private mutating func remove(_ bytes: [UInt8]) { pieces.subtract(Self.windows(of: bytes)) }

    private static func windows(of bytes: [UInt8]) -> [[UInt8]] {
        guard bytes.count >= length else { return [] }
        return (0...bytes.count - length).map { Array(bytes[$0..<$0 + length]) }
            // Lengths and counters are no secrets.
            .filter { Set($0).count > 8 }
    }

    /// Whether a piece of a secret is in the text.
    func areIn(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        if Data(bytes).range(of: Data(seed)) != nil { return true }
        if links.contains(where: { text.contains($0) }) { return true }
        for run in Self.runs(in: bytes, of: { Self.digit($0) != nil }) where run.count >= 2 * Self.length {
            for start in 0...1 {
                if contains(Self.bytes(hexadecimal: Array(run.dropFirst(start)))) { return true }
            }
        }
        for run in Self.runs(in: bytes, of: Self.isBase64) where run.count >= 4 * Self.length / 3 {
            for start in 0...3 {
                let rest = run.dropFirst(start)
                let whole = Data(rest.prefix(rest.count / 4 * 4))
                if let data = Data(base64Encoded: whole), contains(Array(data)) { return true }
            }
        }
        return false
    }

    /// The search finds what it looks for.
    func checkItself() {
        let hexadecimal = seed.map { String(format: "%02x", $0) }.joined()
        #expect(areIn("key=\(hexadecimal)."))
        #expect(areIn("x" + Data(seed).base64EncodedString()))
        for link in links { #expect(areIn("a link: \(link.uppercased())")) }
        #expect(!areIn("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"))
    }

    private func contains(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= Self.length else { return false }
        return (0...bytes.count - Self.length).contains { pieces.contains(Array(bytes[$0..<$0 + Self.length])) }
    }

    private static func runs(in bytes: [UInt8], of isPart: (UInt8) -> Bool) -> [[UInt8]] {
        bytes.split(whereSeparator: { !isPart($0) }).map(Array.init)
    }

    private static func isBase64(_ byte: UInt8) -> Bool {
        digit(byte) != nil || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x2B
            || byte == 0x2F
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }

    private static func bytes(hexadecimal digits: [UInt8]) -> [UInt8] {
        stride(from: 0, to: digits.count / 2 * 2, by: 2).compactMap { index in
            guard let high = digit(digits[index]), let low = digit(digits[index + 1]) else { return nil }
            return high << 4 | low
        }
    }
}
