import XMPPClient

extension MessageArchive {
    /// The preferences that decide which messages the server archives (XEP-0441); not every server supports them.
    public func preferences() async throws(ArchiveError) -> ArchivePreferences {
        do {
            return try await session.request(ArchivePreferencesRequest())
        } catch {
            throw ArchiveError(error, namesMessage: false)
        }
    }

    /// Changes which messages the server archives.
    ///
    /// - Returns: The preferences that the server applied, which may differ.
    @discardableResult
    public func setPreferences(_ preferences: ArchivePreferences) async throws(ArchiveError) -> ArchivePreferences {
        do {
            return try await session.request(preferences)
        } catch {
            throw ArchiveError(error, namesMessage: false)
        }
    }
}
