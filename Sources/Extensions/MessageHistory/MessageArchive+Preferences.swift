import XMPPClient

extension MessageArchive {
    /// Which messages the server keeps in the account's archive (XEP-0441); not every server lets people decide.
    public func preferences() async throws(ArchiveError) -> ArchivePreferences {
        do {
            return try await session.request(ArchivePreferencesRequest())
        } catch {
            throw ArchiveError(error, namesMessage: false)
        }
    }

    /// Changes which messages the server keeps.
    ///
    /// - Returns: What the server made of it, which may be something else.
    @discardableResult
    public func setPreferences(_ preferences: ArchivePreferences) async throws(ArchiveError) -> ArchivePreferences {
        do {
            return try await session.request(preferences)
        } catch {
            throw ArchiveError(error, namesMessage: false)
        }
    }
}
