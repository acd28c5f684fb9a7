import CGStreamer
import Glibc

/// Sound to decode: an open file or bytes in memory, with its type recognised from the first bytes.
///
/// The open descriptor is decoded, so that the file cannot be replaced after its bytes were checked.
final class AudioInput: Sendable {
    /// Files up to this size are read completely to recognise them; of larger ones only the beginning is read.
    static let wholeFileLimit = 64 << 20

    let type: MediaType
    let byteCount: Int
    private let descriptor: Int32

    /// Opens a regular file.
    convenience init(path: String) throws(MediaError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Self.unreadable(path, errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw MediaError(.fileUnreadable, "“\(path)” is not a regular file.", remedy: "Choose a sound file.")
        }
        try self.init(adopting: descriptor, byteCount: Int(status.st_size))
    }

    /// Copies the bytes into a file that exists only in memory.
    convenience init(bytes: [UInt8]) throws(MediaError) {
        let descriptor = hongyan_memory_file("sound")
        guard descriptor >= 0 else {
            throw MediaError(.failed, "No memory file.", cause: String(cString: strerror(errno)))
        }
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else {
                close(descriptor)
                throw MediaError(.failed, "Not enough memory.", cause: String(cString: strerror(errno)))
            }
            written += count
        }
        try self.init(adopting: descriptor, byteCount: bytes.count)
    }

    private init(adopting descriptor: Int32, byteCount: Int) throws(MediaError) {
        self.descriptor = descriptor
        self.byteCount = byteCount
        let looked = byteCount <= Self.wholeFileLimit ? byteCount : MediaType.sniffedByteCount
        type = MediaType(sniffing: try Self.read(descriptor, looked))
        if byteCount == 0 {
            throw MediaError(.empty, "The file is empty.", remedy: "Ask for it again, or record it again.")
        }
        guard type.kind == .audio || type.kind == .video else {
            let isKnown = type != .octetStream
            throw MediaError(
                isKnown ? .unsupported : .unrecognized,
                isKnown ? "The file is \(type), not sound." : "The file is not a sound of a known type.",
                remedy: "Use Ogg, WAV, MP3, M4A, AMR or FLAC.")
        }
    }

    deinit {
        close(descriptor)
    }

    /// A path at which this process can open the input any number of times.
    var path: String { "/proc/self/fd/\(descriptor)" }

    /// All bytes, up to `limit`.
    func bytes(limit: Int) throws(MediaError) -> [UInt8] {
        guard byteCount <= limit else {
            throw MediaError(
                .tooLarge, "The sound file has more than \(limit >> 20) MiB.", remedy: "Send a shorter one.")
        }
        return try Self.read(descriptor, byteCount)
    }

    private static func read(_ descriptor: Int32, _ count: Int) throws(MediaError) -> [UInt8] {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = 0
            while filled < count {
                let got = pread(descriptor, buffer.baseAddress.map { $0 + filled }, count - filled, off_t(filled))
                if got < 0 { failure = errno }
                guard got > 0 else { break }
                filled += got
            }
        }
        guard failure == 0 else { throw unreadable("the file", failure) }
        return bytes
    }

    private static func unreadable(_ path: String, _ number: Int32) -> MediaError {
        MediaError(
            .fileUnreadable, "“\(path)” cannot be read.", remedy: "Check its name and permissions.",
            cause: String(cString: strerror(number)))
    }
}

/// The server for recording and playback: PulseAudio, or PipeWire through its PulseAudio socket.
public struct SoundServer: Sendable, Hashable {
    /// The address in PulseAudio's notation, such as `unix:/run/user/1000/pulse/native`.
    public let address: String

    public init(address: String) {
        self.address = address
    }
}

extension Pipeline {
    /// Sets server and device of the element named ``PipelineReports/soundElement``; `nil` leaves the default of the
    /// system.
    func selectSound(device: String?, server: SoundServer?) {
        if let device { setString("device", of: PipelineReports.soundElement, to: device) }
        if let server { setString("server", of: PipelineReports.soundElement, to: server.address) }
        setString("client-name", of: PipelineReports.soundElement, to: "Hongyan")
    }
}
