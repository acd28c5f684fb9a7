internal import Synchronization
internal import TransportLayer

/// The step that all uploads have in common: it requests a slot of the service (XEP-0363) and sends the bytes to its address.
///
/// Prosody 0.12 sometimes notices the last bytes of a file only when the connection ends, and does not answer before. So a file
/// that was sent whole and not answered in time is sent once more, with another slot.
struct FileUpload: Sendable {
    /// Sends the bytes to the address of a slot.
    typealias Transfer =
        @Sendable (_ slot: UploadSlot, _ progress: @escaping HTTPClient.ProgressHandler)
        async throws(TransportError) -> Void

    /// In bytes.
    let size: UInt64
    /// Requests a slot with addresses that may be used.
    let slot: @Sendable () async throws(FileSharingError) -> UploadSlot
    let transfer: Transfer

    /// The second one is for a server that did not notice the end of the first.
    private static let attempts = 2

    /// - Parameter progress: begins again at 0 if the file is sent once more.
    /// - Returns: the public URL.
    func run(_ progress: HTTPClient.ProgressHandler?) async throws(FileSharingError) -> String {
        var attempt = 1
        while true {
            let slot = try await slot()
            let isSent = Mutex(false)
            do throws(TransportError) {
                try await transfer(slot) { [size] step in
                    isSent.withLock { $0 = step.completed >= Int64(clamping: size) }
                    progress?(step)
                }
                return slot.getURL
            } catch {
                guard error.code == .timedOut, attempt < Self.attempts, isSent.withLock(\.self) else {
                    throw FileSharingError(error)
                }
                attempt += 1
            }
        }
    }
}
