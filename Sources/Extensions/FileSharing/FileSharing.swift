internal import MessageFeatures
internal import ServiceDiscovery
internal import Synchronization
public import TransportLayer
public import XMPPAddress
public import XMPPClient
public import XMPPStanzas

/// Sends files to contacts and fetches what they send (XEP-0363 HTTP File Upload, XEP-0447 Stateless file sharing).
///
/// What goes out is the file's address three times: for programs that know XEP-0447, for those that know XEP-0066, and as
/// the message's text for all others.
public final class FileSharing: SessionExtension {
    /// How a file travels.
    public enum Form: Sendable, Hashable {
        /// Uploaded where the server has a place for it; inside the message when it has none and the file is small.
        case automatic
        /// Uploaded, or not sent.
        case upload
        /// Inside the message (pictures and voice up to ``InlineMedia/maximumSize`` bytes).
        case inline
    }

    /// A place to put files.
    public struct Service: Sendable, Hashable {
        public var address: JID
        /// The largest file accepted, bytes; `nil` when the service does not say.
        public var maximumSize: UInt64?
    }

    let session: Session
    let http: HTTPClient
    private let known = Mutex<Service?>(nil)

    /// - Parameter http: fetches and puts files; give it the trust rules of the connection.
    public init(_ session: Session, http: HTTPClient = HTTPClient()) {
        self.session = session
        self.http = http
    }

    public var features: [String] { [SharedFile.name.namespace, OutOfBandData.name.namespace] }

    /// The upload service of the own server (XEP-0363 §4); `nil` when it has none.
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
    /// - Returns: the token of the message that carries or announces the file.
    public func send(
        _ file: OutgoingFile, to receiver: JID, type: Message.Kind = .chat, form: Form = .automatic,
        progress: HTTPClient.ProgressHandler? = nil
    ) async throws(FileSharingError) -> SendToken {
        guard !file.content.isEmpty else { throw .empty }
        var message = Message(to: receiver, type: type)
        if try await goesInline(file, form) {
            guard let kind = file.inlineKind else { throw .noUploadService }
            try InlineMedia(kind: kind, fileName: file.name, content: file.content).write(into: &message)
        } else {
            let address = try await upload(file, progress: progress)
            message.body = address
            message.append(SharedFile(metadata: file.metadata, urls: [address]))
            message.append(OutOfBandData(url: address))
            message.append(FallbackIndication(for: SharedFile.name.namespace))
        }
        do {
            return try await session.send(message)
        } catch {
            throw FileSharingError(error)
        }
    }

    /// Puts a file on the upload service and returns the address from which everybody can fetch it.
    public func upload(
        _ file: OutgoingFile, progress: HTTPClient.ProgressHandler? = nil
    ) async throws(FileSharingError) -> String {
        guard let service = try await service() else { throw .noUploadService }
        let size = UInt64(file.content.count)
        if let limit = service.maximumSize, size > limit { throw .tooLarge(size: size, limit: limit) }
        let slot: UploadSlot
        do {
            slot = try await session.request(
                UploadSlotRequest(fileName: file.name, size: size, mediaType: file.mediaType), to: service.address)
        } catch {
            throw FileSharingError(error, size: size)
        }
        do {
            // Others are told to open this address; it obeys the rule of every address that is used here (XEP-0363 §10).
            try http.check(slot.getURL)
        } catch {
            throw FileSharingError(error)
        }
        let headers =
            slot.putHeaders.map { HTTPHeader($0.name, $0.value) } + [HTTPHeader("Content-Type", file.mediaType)]
        do {
            _ = try await http.upload(file.content, to: slot.putURL, headers: headers, progress: progress)
        } catch {
            throw FileSharingError(error)
        }
        return slot.getURL
    }

    private func goesInline(_ file: OutgoingFile, _ form: Form) async throws(FileSharingError) -> Bool {
        switch form {
        case .inline: true
        case .upload: false
        case .automatic:
            try await service() == nil && file.inlineKind != nil && file.content.count <= InlineMedia.maximumSize
        }
    }
}
