@_exported public import MessagePayloads
internal import MessageSemantics
internal import ServiceDiscovery
internal import Synchronization
public import TransportLayer
public import XMPPAddress
public import XMPPClient
public import XMPPStanzas

/// Sends files to contacts and downloads received ones (XEP-0363 HTTP File Upload, XEP-0447 Stateless file sharing).
///
/// A sent message contains the URL of the file three times: for programs that support XEP-0447, for those that support
/// XEP-0066, and as the text for all others.
public final class FileSharing: SessionExtension {
    /// How a file is sent.
    public enum Form: Sendable, Hashable {
        /// Uploaded if the server has an upload service; otherwise inside the message if the file is small.
        case automatic
        /// Uploaded, or not sent at all.
        case upload
        /// Inside the message (pictures and voice up to `InlineMedia.maximumSize` bytes).
        case inline
    }

    /// An upload service.
    public struct Service: Sendable, Hashable {
        public var address: JID
        /// The maximum file size in bytes; `nil` if the service does not state it.
        public var maximumSize: UInt64?
    }

    let session: Session
    let http: HTTPClient
    private let known = Mutex<Service?>(nil)

    /// - Parameter http: transfers the files; by default with the trust policy and the proxy of the connection
    ///   (`Session.http`).
    public init(_ session: Session, http: HTTPClient? = nil) {
        self.session = session
        self.http = http ?? session.http
    }

    public var features: [String] { [SharedFile.name.namespace, OutOfBandData.name.namespace] }

    /// The upload service of our server (XEP-0363 §4); `nil` if there is none.
    public func service() async throws(FileSharingError) -> Service? {
        if let service = known.withLock({ $0 }) { return service }
        guard let discovery = session[ServiceDiscovery.self] else { return nil }
        do {
            guard let found = try await discovery.service(offering: UploadSlotRequest.name.namespace) else {
                return nil
            }
            let form = found.information.forms.first { $0.formType == UploadSlotRequest.name.namespace }
            let service = Service(
                address: found.address, maximumSize: form?["max-file-size"]?.values.first.flatMap { UInt64($0) })
            known.withLock { $0 = service }
            return service
        } catch {
            throw FileSharingError(error)
        }
    }

    /// Sends a file to `receiver`.
    ///
    /// - Parameters:
    ///   - type: the type of the message: `chat`, or `groupchat` for a room.
    ///   - progress: called while the file is uploaded.
    /// - Returns: the token of the message with the file or its URL.
    public func send(
        _ file: OutgoingFile, to receiver: JID, type: Message.Kind = .chat, form: Form = .automatic,
        progress: HTTPClient.ProgressHandler? = nil
    ) async throws(FileSharingError) -> SendToken {
        guard !file.content.isEmpty else { throw .empty }
        var message = Message(to: receiver, type: type)
        if try await goesInline(UInt64(file.content.count), file.kind.inline, form) {
            guard let kind = file.kind.inline else { throw .noUploadService }
            do {
                try InlineMedia(kind: kind, fileName: file.name, content: file.content).write(into: &message)
            } catch {
                throw FileSharingError(error)
            }
        } else {
            message.offer(file.metadata, at: try await upload(file, progress: progress))
        }
        do {
            return try await session.send(message)
        } catch {
            throw FileSharingError(error)
        }
    }

    /// Sends a file of this computer to `receiver`. It is read while it is uploaded; one that goes inside of the message is
    /// small. Everything else is as for an `OutgoingFile`.
    public func send(
        _ file: LocalFile, to receiver: JID, type: Message.Kind = .chat, form: Form = .automatic,
        progress: HTTPClient.ProgressHandler? = nil
    ) async throws(FileSharingError) -> SendToken {
        let metadata = try file.metadata()
        let size = metadata.size ?? 0
        if try await goesInline(size, file.kind.inline, form) {
            // What goes inside of a message is small.
            guard size <= UInt64(InlineMedia.maximumSize) else { throw .noUploadService }
            return try await send(try file.loaded(), to: receiver, type: type, form: .inline, progress: progress)
        }
        let url = try await upload(
            .file(file.path), size: size, name: file.name, mediaType: file.mediaType, progress)
        var message = Message(to: receiver, type: type)
        message.offer(metadata, at: url)
        do {
            return try await session.send(message)
        } catch {
            throw FileSharingError(error)
        }
    }

    /// Uploads a file and returns its public URL.
    ///
    /// A file that was sent whole and is not answered in time is sent once more, with another slot.
    ///
    /// - Parameter progress: begins again at 0 then.
    /// - Throws: `noUploadService`, `tooLarge`, `insecureAddress` for a slot that may not be used, `transferFailed`.
    public func upload(
        _ file: OutgoingFile, progress: HTTPClient.ProgressHandler? = nil
    ) async throws(FileSharingError) -> String {
        try await upload(
            .bytes(file.content), size: UInt64(file.content.count), name: file.name, mediaType: file.mediaType,
            progress)
    }

    /// Uploads a file of this computer and returns its public URL. It is read while it is sent, so its size needs no memory.
    ///
    /// - Parameter name: the file name on the server.
    public func upload(
        fileAt path: String, size: UInt64, name: String, mediaType: String,
        progress: HTTPClient.ProgressHandler? = nil
    ) async throws(FileSharingError) -> String {
        try await upload(.file(path), size: size, name: name, mediaType: mediaType, progress)
    }

    /// Uploads a file of this computer and returns its public URL.
    public func upload(
        _ file: LocalFile, progress: HTTPClient.ProgressHandler? = nil
    ) async throws(FileSharingError) -> String {
        let size = try file.metadata().size ?? 0
        return try await upload(.file(file.path), size: size, name: file.name, mediaType: file.mediaType, progress)
    }

    private enum Content {
        case bytes([UInt8])
        case file(String)
    }

    private func upload(
        _ content: Content, size: UInt64, name: String, mediaType: String, _ progress: HTTPClient.ProgressHandler?
    ) async throws(FileSharingError) -> String {
        guard let service = try await service() else { throw .noUploadService }
        if let limit = service.maximumSize, size > limit { throw .tooLarge(size: size, limit: limit) }
        let (session, http) = (session, http)
        return try await FileUpload(size: size) { () throws(FileSharingError) in
            let slot: UploadSlot
            do throws(ClientError) {
                slot = try await session.request(
                    UploadSlotRequest(fileName: name, size: size, mediaType: mediaType), to: service.address)
            } catch {
                throw FileSharingError(error, size: size)
            }
            do throws(TransportError) {
                // Receivers will open the second one, so it must follow the same rules as every URL used here (XEP-0363 §10).
                for url in [slot.putURL, slot.getURL] { try http.check(url) }
            } catch {
                throw FileSharingError(.insecureAddress, error.description)
            }
            return slot
        } transfer: { slot, progress throws(TransportError) in
            let headers =
                slot.putHeaders.map { HTTPHeader($0.name, $0.value) } + [HTTPHeader("Content-Type", mediaType)]
            switch content {
            case .bytes(let bytes):
                _ = try await http.upload(bytes, to: slot.putURL, headers: headers, progress: progress)
            case .file(let path):
                _ = try await http.upload(file: path, to: slot.putURL, headers: headers, progress: progress)
            }
        }.run(progress)
    }

    private func goesInline(
        _ size: UInt64, _ kind: InlineMedia.Kind?, _ form: Form
    ) async throws(FileSharingError) -> Bool {
        switch form {
        case .inline: true
        case .upload: false
        case .automatic:
            try await service() == nil && kind != nil && size <= UInt64(InlineMedia.maximumSize)
        }
    }
}
