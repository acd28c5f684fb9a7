public import MessagePayloads
public import XMPPStanzas

extension Message {
    /// Makes this the message of an uploaded file: its address stands there three times, for programs that know XEP-0447, for those
    /// that know XEP-0066, and as the text for all others.
    public mutating func offer(_ file: FileMetadata, at url: String) {
        body = url
        append(SharedFile(metadata: file, urls: [url]))
        append(OutOfBandData(url: url))
        append(FallbackIndication(for: SharedFile.name.namespace))
    }
}
