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
@Suite("No key leaves the programs", .timeLimit(.minutes(20)))
struct KeyLeakTests {
    @Test(
        "the identity key, session keys and keys of files are in no output, export, log or crash report of the programs"
    )
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
        // The report is written, and then the program goes on, because the signal was no fault of its own.
        try await crashing.poll("the report") { crashing.errors.contains("Backtrace took") }
        crashing.signal(SIGKILL)
        let crash = await crashing.result()
        keep(crash)

        // The desktop program receives a message, and logs what it does.
        let window = try DesktopPerson(romeo)
        let log = romeo.home.path + "/desktop.log"
        let desktop = try window.start(["--log", log, "--log-level", "stanzas"])
        keep(try await juliet.run("send", romeo.address, "what light through yonder window breaks", "--encrypted"))
        do {
            try await desktop.poll("the message at the window") { window.hasStored("through yonder window") }
        } catch {
            let logged = (try? String(contentsOfFile: log, encoding: .utf8)) ?? "there is no log"
            Issue.record("The desktop program has logged:\n\(logged.suffix(20_000))")
            throw error
        }
        _ = try await window.quit(desktop)
        outputs += [desktop.output, desktop.errors]
        #expect(try String(contentsOfFile: log, encoding: .utf8).contains("message"))

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
    /// Sixteen bytes in a row: too many for a coincidence.
    private struct Piece: Hashable {
        private var high: UInt64 = 0
        private var low: UInt64 = 0
        private var count = 0

        /// The last sixteen bytes, once there are as many.
        mutating func append(_ byte: UInt8) -> Piece? {
            high = high << 8 | low >> 56
            low = low << 8 | UInt64(byte)
            count = min(count + 1, 16)
            return count == 16 ? self : nil
        }
    }

    /// Bytes from digits of a number of bits each, beginning with one of the first digits of a run.
    private struct Decoder {
        let bits: Int
        let start: Int
        private var piece = Piece()
        private var (value, held, index) = (0, 0, 0)

        init(bits: Int, start: Int) { (self.bits, self.start) = (bits, start) }

        /// - Parameter digit: `nil` ends the run.
        mutating func append(_ digit: Int?) -> Piece? {
            guard let digit else {
                if index > 0 { self = Decoder(bits: bits, start: start) }
                return nil
            }
            index += 1
            guard index > start else { return nil }
            value = (value << bits | digit) & 0xFFFF
            held += bits
            guard held >= 8 else { return nil }
            held -= 8
            return piece.append(UInt8(value >> held & 0xFF))
        }
    }

    private var pieces: Set<Piece> = []
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
        pieces.formUnion(Self.pieces(of: seed))
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
        for record in records { pieces.formUnion(Self.pieces(of: record)) }
        links = urls.filter { $0.hasPrefix("aesgcm://") }
        for link in links { pieces.formUnion(Self.pieces(hexadecimal: link.split(separator: "#").last ?? "")) }
        // Fingerprints are public, and in the sessions.
        var devices = try await person.bare(["keys", "--json"]).objects
        for conversation in try await person.bare(["history", "--json"]).objects {
            guard let peer = conversation["with"] as? String else { continue }
            devices += try await person.bare(["keys", peer, "--json"]).objects
        }
        for device in devices {
            pieces.subtract(Self.pieces(hexadecimal: (device["fingerprint"] as? String ?? "")[...]))
        }
    }

    /// Lengths and counters are no secrets.
    private static func pieces(of bytes: [UInt8]) -> [Piece] {
        var piece = Piece()
        return bytes.indices.compactMap { index in
            let whole = piece.append(bytes[index])
            return index >= 15 && Set(bytes[index - 15...index]).count > 8 ? whole : nil
        }
    }

    private static func pieces(hexadecimal digits: Substring) -> [Piece] {
        var decoder = Decoder(bits: 4, start: 0)
        return digits.utf8.compactMap { decoder.append(hexadecimal[Int($0)]) }
    }

    /// Whether a piece of a secret is in the text.
    func areIn(_ text: String) -> Bool {
        if Data(text.utf8).range(of: Data(seed)) != nil { return true }
        var decoders = (0..<2).map { Decoder(bits: 4, start: $0) } + (0..<4).map { Decoder(bits: 6, start: $0) }
        for byte in text.utf8 {
            let (four, six) = (Self.hexadecimal[Int(byte)], Self.base64[Int(byte)])
            for index in decoders.indices {
                if let piece = decoders[index].append(index < 2 ? four : six), pieces.contains(piece) { return true }
            }
        }
        return false
    }

    /// The search finds what it looks for.
    func checkItself() {
        let hexadecimal = seed.map { String(format: "%02X", $0) }.joined()
        #expect(areIn("key=\(hexadecimal)."))
        #expect(areIn("0\(hexadecimal)"))
        #expect(areIn("x" + Data(seed).base64EncodedString()))
        for link in links { #expect(areIn("a link: \(link)")) }
        #expect(!areIn("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"))
    }

    /// The values of the digits, by their bytes.
    private static let hexadecimal = values(of: ["0123456789abcdef", "0123456789ABCDEF"])
    private static let base64 = values(of: ["ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"])

    private static func values(of alphabets: [String]) -> [Int?] {
        var values = [Int?](repeating: nil, count: 256)
        for alphabet in alphabets {
            for (value, byte) in alphabet.utf8.enumerated() { values[Int(byte)] = value }
        }
        return values
    }
}
