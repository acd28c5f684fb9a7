internal import ChatModel
internal import ChatStore
internal import Localization
internal import UserProfile

/// Copies all messages into a file and from it, away from the main thread.
enum HistoryTransfer {
    /// Writes all messages into a file, completely or not at all.
    ///
    /// - Returns: the result as a sentence for the user.
    @concurrent
    nonisolated static func export(_ store: any LocalStore, to path: String) async -> String {
        let file: WholeFile
        do throws(HistoryFileFailure) {
            file = try WholeFile(path)
        } catch {
            return error.message
        }
        do throws(StoreError) {
            try await store.export { bytes throws(StoreError) in try file.write(bytes) }
        } catch {
            file.discard()
            // The failure concerns the disk of the file, not that of the store.
            let isOfFile = error.code == .diskFull || error.code == .system
            return isOfFile ? WholeFile.failure(path).message : Wording.failure(error)
        }
        do throws(HistoryFileFailure) {
            try file.finish()
        } catch {
            return error.message
        }
        return localized("Written to %@.", path)
    }

    /// Adds the messages of an exported file to those of the store.
    ///
    /// - Returns: the result as a sentence for the user.
    @concurrent
    nonisolated static func take(_ path: String, into store: any LocalStore) async -> String {
        let lines: ImportedLines
        do throws(HistoryFileFailure) {
            lines = ImportedLines(try LineReader(path))
        } catch {
            return error.message
        }
        do throws(StoreError) {
            let report = try await store.importLines(lines)
            return localized("%@ imported, %@ were already here.", report.added, report.known)
        } catch {
            return sentence(error, path, line: lines.lastNumber)
        }
    }

    private nonisolated static func sentence(_ error: StoreError, _ path: String, line: Int) -> String {
        switch error.code {
        case .invalidImport:
            localized(
                "Line %@ of %@ does not belong to an export; the lines before it were imported.", line, path)
        case .tooNew: localized("%@ was written by a newer version of this program; use that one.", path)
        case .system: localized("The file %@ cannot be read.", path)
        default: Wording.failure(error)
        }
    }
}
