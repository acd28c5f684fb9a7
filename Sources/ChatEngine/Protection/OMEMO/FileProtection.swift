internal import ChatStore
internal import Cryptography
internal import FileSharing
internal import MessageFeatures
internal import OMEMO
internal import XMLStreaming
internal import XMPPStanzas

/// Encrypts files before they are uploaded, and decrypts downloaded ones.
struct FileProtection: Sendable {
    let context: EncryptionContext
    let audiences: Audiences
    let planner: SealingPlanner

    func sealing(
        _ file: Attachment, in conversation: ConversationAddress
    ) async throws(ProtectionError) -> FileSealing? {
        try await audiences.prepare(conversation)
        var draft = KeyDraft(context.memory)
        let audience = audiences[conversation]
        guard case .sealed = try await planner.plan(for: conversation, with: audience, isForLegacy: true, &draft) else {
            return nil
        }
        do {
            let (key, nonce) = (try context.cryptography.randomBytes(32), try context.cryptography.randomBytes(12))
            return FileSealing(try FileEncryption(key: key, nonce: nonce)) { url throws(ProtectionError) in
                guard let link = EncryptedFileLink(address: url, nonce: nonce, key: key) else {
                    throw ProtectionError(
                        .insecureFileService, "The address of the uploaded file is not an https address.")
                }
                return link.text
            }
        } catch {
            throw ProtectionError(.ownKeys, "The file cannot be encrypted.", cause: error)
        }
    }

    func opening(_ file: Attachment) throws(ProtectionError) -> FileOpening? {
        guard let url = file.url, EncryptedFileLink.isLink(url) else { return nil }
        guard let link = EncryptedFileLink(url) else {
            throw ProtectionError(.damaged, "The link of the file is damaged.")
        }
        // The hash is compared when the file is stored.
        let verifiedSize = file.contentHash == nil ? nil : file.size
        guard link.cipher != .aes256CBC || verifiedSize != nil else {
            throw ProtectionError(
                .damaged, "The message has no hash of the file, and its cipher does not authenticate.")
        }
        do throws(CryptographyError) {
            return FileOpening(
                try FileDecryption(link, verifiedSize: verifiedSize), address: link.address,
                overhead: Int64(AESGCM.tagByteCount))
        } catch {
            throw ProtectionError(.damaged, "The key in the link of the file cannot be used.", cause: error)
        }
    }
}

extension SharedFile {
    /// An element for an envelope: in a file, the links that contain a key become encrypted sources (XEP-0448 §3.1).
    static func encryptingSources(_ element: XMLElement) -> XMLElement {
        guard element.isNamed(name), var file = try? SharedFile(from: element) else { return element }
        file.encrypted = file.urls.compactMap(EncryptedSource.init(link:))
        guard !file.encrypted.isEmpty else { return element }
        file.urls.removeAll { EncryptedSource(link: $0) != nil }
        return XMLElement(file)
    }

    /// The elements of an envelope: encrypted sources become links that contain a key, as of all other encrypted files.
    /// A file of which no source can be used gets a link that is refused with a sentence.
    static func linkingSources(_ elements: [XMLElement]) -> [XMLElement] {
        let hasLink = elements.contains { element in
            (try? OutOfBandData(from: element)).flatMap { EncryptedFileLink($0.url) } != nil
        }
        return elements.map { element in
            guard element.isNamed(name),
                element.firstChild(sourcesName)?.firstChild(EncryptedSource.name) != nil,
                var file = try? SharedFile(from: element)
            else { return element }
            file.urls = file.encrypted.flatMap { $0.links } + file.urls
            file.encrypted = []
            if file.urls.isEmpty, !hasLink { file.urls = [EncryptedFileLink.unusable] }
            return XMLElement(file)
        }
    }
}

extension EncryptedSource {
    /// `nil` for other addresses, and for vectors of 16 bytes from links of earlier programs.
    fileprivate init?(link: String) {
        guard let link = EncryptedFileLink(link) else { return nil }
        let cipher: Cipher =
            switch link.cipher {
            case .aes128GCM: .aes128GCM
            case .aes256GCM: .aes256GCM
            case .aes256CBC: .aes256CBC
            }
        guard link.nonce.count == cipher.vectorByteCount else { return nil }
        self.init(cipher, key: link.key, vector: link.nonce, urls: [link.address])
    }

    /// One for each address that is `https`.
    fileprivate var links: [String] {
        let cipher: EncryptedFileLink.Cipher =
            switch cipher {
            case .aes128GCM: .aes128GCM
            case .aes256GCM: .aes256GCM
            case .aes256CBC: .aes256CBC
            }
        return urls.compactMap { EncryptedFileLink(cipher, address: $0, nonce: vector, key: key)?.text }
    }
}

/// Encrypts a file in pieces; the tag follows it (XEP-0454 §3).
///
/// `@unchecked Sendable`: one task at a time works through a file.
private final class FileEncryption: FileCipher, @unchecked Sendable {
    private var cipher: AESGCM.Encryption?

    init(key: [UInt8], nonce: [UInt8]) throws(CryptographyError) {
        cipher = try AESGCM.Encryption(key: key, nonce: nonce)
    }

    func process(_ bytes: [UInt8], isLast: Bool) throws(ProtectionError) -> [UInt8] {
        guard var cipher = cipher.take() else { throw ProtectionError(.damaged, "The file is finished.") }
        do throws(CryptographyError) {
            let output = try cipher.update(bytes)
            if isLast { return output + (try cipher.finish()) }
            self.cipher = consume cipher
            return output
        } catch {
            throw ProtectionError(.damaged, "The file cannot be encrypted.", cause: error)
        }
    }
}

/// Decrypts a file in pieces. The output counts only after the last piece, when the tag was checked, and where there is
/// none after the comparison with the file's hash.
///
/// `@unchecked Sendable`: one task at a time works through a file.
private final class FileDecryption: FileCipher, @unchecked Sendable {
    private enum Cipher: ~Copyable {
        case gcm(AESGCM.Decryption)
        case cbc(AESCBC.Decryption)
    }

    private var cipher: Cipher?
    /// The size of the file, if it has a hash that will be compared.
    private let verifiedSize: Int64?
    private var count: Int64 = 0
    /// What may be the tag.
    private var rest: [UInt8] = []

    init(_ link: EncryptedFileLink, verifiedSize: Int64?) throws(CryptographyError) {
        self.verifiedSize = verifiedSize
        switch link.cipher {
        case .aes256CBC: cipher = .cbc(try AESCBC.Decryption(key: link.key, vector: link.nonce))
        case .aes128GCM, .aes256GCM: cipher = .gcm(try AESGCM.Decryption(key: link.key, nonce: link.nonce))
        }
    }

    func process(_ bytes: [UInt8], isLast: Bool) throws(ProtectionError) -> [UInt8] {
        guard let current = cipher.take() else { throw ProtectionError(.damaged, "The file is finished.") }
        var output: [UInt8]
        do throws(CryptographyError) {
            switch consume current {
            case .cbc(var decryption):
                output = try decryption.update(bytes)
                if isLast { output += try decryption.finish() } else { cipher = .cbc(consume decryption) }
            case .gcm(var decryption):
                rest += bytes
                let ready = Array(rest.dropLast(AESGCM.tagByteCount))
                rest.removeFirst(ready.count)
                output = try decryption.update(ready)
                if !isLast {
                    cipher = .gcm(consume decryption)
                } else if count + Int64(output.count + rest.count) == verifiedSize {
                    // The tag is not required (XEP-0448 §4).
                    output += try decryption.update(rest)
                } else {
                    try decryption.finish(tag: rest)
                }
            }
        } catch {
            throw ProtectionError(.damaged, "The file was changed on its way.", cause: error)
        }
        // Whatever exceeds the size is not part of the file (XEP-0448 §3.2).
        if let verifiedSize { output.removeLast(max(0, output.count - Int(max(0, verifiedSize - count)))) }
        count += Int64(output.count)
        return output
    }
}
