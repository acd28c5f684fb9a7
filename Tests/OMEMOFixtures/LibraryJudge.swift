internal import Cryptography
internal import Foundation
package import OMEMO
internal import XMLStreaming

/// A device of Debian's libomemo-c in a process of its own: `libomemo.c`, compiled when the first one is started.
package final class LibraryJudge {
    package struct Refusal: Error, CustomStringConvertible {
        package let description: String
    }

    package let generation: OMEMOGeneration
    private let process = Process()
    private let requests = Pipe()
    private let answers = Pipe()
    private var rest: [UInt8] = []

    /// The compiled program, or why there is none.
    private static let program = Result {
        let source = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "OMEMOTests/Judge/libomemo.c")
        let folder = FileManager.default.temporaryDirectory.appending(path: "hongyan-libomemo-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let program = folder.appending(path: "libomemo")
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/gcc")
        compiler.arguments = [
            "-O1", "-o", program.path(percentEncoded: false), source.path(percentEncoded: false), "-lomemo-c",
            "-lcrypto",
        ]
        try compiler.run()
        compiler.waitUntilExit()
        guard compiler.terminationStatus == 0 else {
            throw Refusal(description: "libomemo.c does not compile: run Scripts/packages omemo.")
        }
        return program
    }

    package init(_ generation: OMEMOGeneration) throws {
        self.generation = generation
        process.executableURL = try Self.program.get()
        process.arguments = [String(generation.rawValue)]
        process.standardInput = requests
        process.standardOutput = answers
        try process.run()
    }

    /// The program ends at the end of its input. It is not waited for: Foundation sometimes misses the end of a program.
    deinit { try? requests.fileHandleForWriting.close() }

    /// Its bundle, with a new one-time key each time.
    package func published() throws -> OMEMOBundle {
        let words = try ask("bundle").dropFirst().map(String.init)
        func base64(_ index: Int) throws -> String { Base64.encode(try bytes(words[index])) }
        let xml =
            switch generation {
            case .current:
                """
                <bundle xmlns='urn:xmpp:omemo:2'><spk id='\(words[1])'>\(try base64(2))</spk><spks>\(try base64(3))\
                </spks><ik>\(try base64(0))</ik><prekeys><pk id='\(words[4])'>\(try base64(5))</pk></prekeys></bundle>
                """
            case .legacy:
                """
                <bundle xmlns='eu.siacs.conversations.axolotl'><signedPreKeyPublic signedPreKeyId='\(words[1])'>\
                \(try base64(2))</signedPreKeyPublic><signedPreKeySignature>\(try base64(3))</signedPreKeySignature>\
                <identityKey>\(try base64(0))</identityKey><prekeys><preKeyPublic preKeyId='\(words[4])'>\
                \(try base64(5))</preKeyPublic></prekeys></bundle>
                """
            }
        return try OMEMOBundle(from: XMLElement(parsing: xml))
    }

    /// Starts a session with a device of ours.
    package func start(with device: Device) throws {
        let element = XMLElement(try device.bundle(generation))
        var values: [String: (id: String, key: String)] = [:]
        for child in element.children {
            let part = child.localName == "prekeys" ? child.firstChild ?? child : child
            let id = part["id"] ?? part["preKeyId"] ?? part["signedPreKeyId"] ?? ""
            values[part.localName] = (id, Hex.encode(Base64.decode(part.text) ?? []))
        }
        func value(_ current: String, _ legacy: String) throws -> (id: String, key: String) {
            guard let value = values[generation == .legacy ? legacy : current] else { throw OMEMOError(.malformed) }
            return value
        }
        let signed = try value("spk", "signedPreKeyPublic")
        let preKey = try value("pk", "preKeyPublic")
        _ = try ask(
            "start \(try value("ik", "identityKey").key) \(signed.id) \(signed.key) "
                + "\(try value("spks", "signedPreKeySignature").key) \(preKey.id) \(preKey.key)")
    }

    package func encrypt(_ plaintext: [UInt8]) throws -> IncomingKey {
        let key = try encryptedBytes(plaintext)
        return try IncomingKey(key.bytes, isKeyExchange: key.isKeyExchange, generation: generation)
    }

    /// As the library writes it.
    package func encryptedBytes(_ plaintext: [UInt8]) throws -> OutgoingKey {
        let words = try ask("encrypt \(plaintext.isEmpty ? "-" : Hex.encode(plaintext))")
        return OutgoingKey(bytes: try bytes(words[2]), isKeyExchange: words[1] == "1")
    }

    package func decrypt(_ key: OutgoingKey) throws -> [UInt8] {
        let words = try ask("decrypt \(key.isKeyExchange ? 1 : 0) \(Hex.encode(key.bytes))")
        return words[1] == "-" ? [] : try bytes(words[1])
    }

    private func bytes(_ word: some StringProtocol) throws -> [UInt8] {
        guard let bytes = Hex.decode(String(word)) else { throw Refusal(description: "not hexadecimal") }
        return bytes
    }

    /// Copies the session, to restore it later.
    package func save() throws { _ = try ask("save") }
    package func load() throws { _ = try ask("load") }

    private func ask(_ request: String) throws -> [Substring] {
        try requests.fileHandleForWriting.write(contentsOf: Data((request + "\n").utf8))
        while !rest.contains(UInt8(ascii: "\n")) {
            let data = answers.fileHandleForReading.availableData
            guard !data.isEmpty else { throw Refusal(description: "libomemo has ended") }
            rest += data
        }
        let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
        let words = String(decoding: rest[..<end], as: UTF8.self).split(separator: " ")
        rest.removeSubrange(...end)
        guard let first = words.first, first != "refused" else {
            throw Refusal(description: words.joined(separator: " "))
        }
        return words
    }
}
