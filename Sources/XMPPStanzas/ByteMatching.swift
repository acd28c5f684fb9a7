extension UnsafeBufferPointer<UInt8> {
    /// Whether these bytes are that ASCII word. Short attribute values are recognised this way without a string being
    /// made.
    func matches(_ word: StaticString) -> Bool {
        guard count == word.utf8CodeUnitCount else { return false }
        for index in 0..<count where self[index] != word.utf8Start[index] { return false }
        return true
    }
}
