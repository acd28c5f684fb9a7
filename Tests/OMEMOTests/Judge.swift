import Foundation
import OMEMO
import OMEMOFixtures
import XMLStreaming

/// A device of another implementation in a process of its own: `Judge/judge.py` with Debian's twomemo or oldmemo.
///
/// They are under other licences than this project and must only be talked to like this.
final class Judge {
    struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    let address: String
    let id: OMEMODevice
    private let generation: OMEMOGeneration
    private let process = Process()
    private let requests = Pipe()
    private let answers = Pipe()
    private var rest: [UInt8] = []

    init(_ generation: OMEMOGeneration, _ address: String, id: UInt32) throws {
        guard let device = OMEMODevice(id) else { throw OMEMOError(.invalidDevice) }
        self.generation = generation
        self.address = address
        self.id = device
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Judge/judge.py")
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = [
            script.path(percentEncoded: false), generation == .legacy ? "legacy" : "current", address, String(id),
        ]
        process.standardInput = requests
        process.standardOutput = answers
        try process.run()
    }

    /// The program ends at the end of its input. It is not waited for: Foundation sometimes misses the end of a program.
    deinit { try? requests.fileHandleForWriting.close() }

    func published() throws -> (bundle: OMEMOBundle, devices: OMEMODeviceList) {
        let answer = try ask(["do": "bundle"])
        return (
            try OMEMOBundle(from: try element(answer["bundle"])),
            try OMEMODeviceList(from: try element(answer["devices"]))
        )
    }

    /// Encrypts for a device; with a bundle in a new session, without a plaintext an empty message.
    func encrypt(_ plaintext: [UInt8]?, for device: Device, bundle: OMEMOBundle? = nil) throws -> OMEMOElement {
        var request: [String: Any] = ["do": "encrypt", "address": device.address, "device": Int(device.id.number)]
        if let plaintext { request["plaintext"] = Base64.encode(plaintext) } else { request["empty"] = true }
        if let bundle { request["bundle"] = text(bundle) }
        return try OMEMOElement(from: element(try ask(request)["element"]))
    }

    /// Decrypts what a device has encrypted; `nil` for an empty message.
    func decrypt(_ element: OMEMOElement, from device: Device) throws -> [UInt8]? {
        let answer = try ask([
            "do": "decrypt", "address": device.address, "device": Int(device.id.number), "element": text(element),
        ])
        return (answer["plaintext"] as? String).flatMap { Base64.decode($0) }
    }

    private func text(_ value: some XMLEncodable) -> String {
        var writer = XMLWriter()
        writer.write(value)
        return String(decoding: writer.takeBytes(), as: UTF8.self)
    }

    private func element(_ text: Any?) throws -> XMLElement {
        guard let text = text as? String else { throw Refusal(description: "no element") }
        return try XMLElement(parsing: text)
    }

    private func ask(_ request: [String: Any]) throws -> [String: Any] {
        var line = try JSONSerialization.data(withJSONObject: request)
        line.append(UInt8(ascii: "\n"))
        try requests.fileHandleForWriting.write(contentsOf: line)
        while !rest.contains(UInt8(ascii: "\n")) {
            let data = answers.fileHandleForReading.availableData
            guard !data.isEmpty else { throw Refusal(description: "The judge has ended: install its packages.") }
            rest += data
        }
        let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
        let object = try JSONSerialization.jsonObject(with: Data(rest[..<end]))
        rest.removeSubrange(...end)
        guard let answer = object as? [String: Any] else { throw Refusal(description: "not an object") }
        if let refused = answer["refused"] as? String { throw Refusal(description: refused) }
        return answer
    }
}

extension Device {
    /// Encrypts a plaintext, or nothing, as a whole element.
    func element(_ plaintext: [UInt8]?, for judge: Judge, _ generation: OMEMOGeneration) throws -> OMEMOElement {
        try element(plaintext, for: judge.id.number, generation)
    }

    /// Encrypts for the device of a number of the account of `bob@example.org`.
    func element(_ plaintext: [UInt8]?, for number: UInt32, _ generation: OMEMOGeneration) throws -> OMEMOElement {
        guard let recipient = OMEMODevice(number) else { throw OMEMOError(.invalidDevice) }
        let key: OutgoingKey
        var payload: [UInt8]?
        var nonce: [UInt8]?
        switch generation {
        case .current:
            let encrypted = try plaintext.map { try EncryptedPayload($0, using: cryptography) }
            key = try encrypt(encrypted?.key.bytes ?? EncryptedPayload.emptyKey)
            payload = encrypted?.payload
        case .legacy:
            let encrypted = try LegacyPayload(plaintext ?? [], using: cryptography)
            key = try encrypt(encrypted.key.bytes)
            payload = plaintext == nil ? nil : encrypted.payload
            nonce = encrypted.nonce
        }
        return OMEMOElement(
            generation, sender: id,
            keys: [
                OMEMOElement.RecipientKey(
                    account: generation == .legacy ? nil : "bob@example.org", device: recipient, key)
            ],
            nonce: nonce, payload: payload)
    }

    /// Decrypts an element; `nil` for an empty message.
    func decrypt(_ element: OMEMOElement) throws -> [UInt8]? {
        guard let key = element.keys(for: id, where: { $0 == address }).first else {
            throw OMEMOError(.wrongSession)
        }
        let decryption = try decrypt(element.read(key))
        guard let payload = element.payload else { return nil }
        switch element.generation {
        case .current: return try EncryptedPayload.decrypt(payload, key: decryption.plaintext, using: cryptography)
        case .legacy:
            return try LegacyPayload.decrypt(
                payload, nonce: element.nonce ?? [], key: decryption.plaintext, using: cryptography)
        }
    }
}

extension [UInt8] {
    init(_ text: String) { self = Array(text.utf8) }
}
