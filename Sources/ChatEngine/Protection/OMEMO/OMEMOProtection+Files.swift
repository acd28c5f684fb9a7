public import ChatStore
internal import Cryptography
internal import OMEMO

extension OMEMOProtection {
    public func sealing(
        _ file: Attachment, in conversation: ConversationAddress
    ) async throws(ProtectionError) -> FileSealing? {
        try await prepare(conversation)
        var draft = KeyDraft(memory)
        let audience = state.withLock { $0.audiences[conversation] }
        guard case .sealed = try await plan(for: conversation, with: audience, isForLegacy: true, &draft) else {
            return nil
        }
        do {
            let (key, nonce) = (try cryptography.randomBytes(32), try cryptography.randomBytes(12))
            return FileSealing(try FileEncryption(key: key, nonce: nonce)) { url throws(ProtectionError) in
                guard let link = AESGCMLink(address: url, nonce: nonce, key: key) else {
                    throw ProtectionError(
                        .insecureFileService, "The address of the uploaded file is not an https address.")
                }
                return link.text
            }
        } catch {
            throw ProtectionError(.ownKeys, "The file cannot be encrypted.", cause: error)
        }
    }

    private static let linkScheme = "aesgcm://"

    public func opening(_ file: Attachment) throws(ProtectionError) -> FileOpening? {
        guard let url = file.url, url.hasPrefix(Self.linkScheme) else { return nil }
        guard let link = AESGCMLink(url) else { throw ProtectionError(.damaged, "The link of the file is damaged.") }
        do throws(CryptographyError) {
            return FileOpening(
                try FileDecryption(key: link.key, nonce: link.nonce), address: link.address,
                overhead: Int64(AESGCM.tagByteCount))
        } catch {
            throw ProtectionError(.damaged, "The key in the link of the file cannot be used.", cause: error)
        }
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

/// Decrypts a file in pieces. The output counts only after the last piece, when the tag was checked.
///
/// `@unchecked Sendable`: one task at a time works through a file.
private final class FileDecryption: FileCipher, @unchecked Sendable {
    private var cipher: AESGCM.Decryption?
    /// What may be the tag.
    private var rest: [UInt8] = []

    init(key: [UInt8], nonce: [UInt8]) throws(CryptographyError) {
        cipher = try AESGCM.Decryption(key: key, nonce: nonce)
    }

    func process(_ bytes: [UInt8], isLast: Bool) throws(ProtectionError) -> [UInt8] {
        guard var cipher = cipher.take() else { throw ProtectionError(.damaged, "The file is finished.") }
        rest += bytes
        let ready = Array(rest.dropLast(AESGCM.tagByteCount))
        rest.removeFirst(ready.count)
        do throws(CryptographyError) {
            let output = try cipher.update(ready)
            if isLast {
                try cipher.finish(tag: rest)
            } else {
                self.cipher = consume cipher
            }
            return output
        } catch {
            throw ProtectionError(.damaged, "The file was changed on its way.", cause: error)
        }
    }
}
