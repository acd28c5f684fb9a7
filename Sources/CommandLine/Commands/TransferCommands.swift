internal import ChatStore
internal import JSONRPC
internal import Localization
internal import UserProfile

extension Command {
    static let export = Command(
        name: "export", synopsis: "[FILE|-]", summary: "export all messages into a file of JSON lines",
        connects: false, usesProfile: true
    ) { invocation in
        guard invocation.arguments.count <= 1 else { throw CommandError.usage(localized("Give one file.")) }
        let path = invocation.arguments.first.flatMap { $0 == "-" ? nil : $0 }
        guard invocation.profile.hasStore else {
            throw CommandError.failed(
                localized("There is nothing to export: %@ is not there.", invocation.profile.storePath))
        }
        try await invocation.profile.withStore(for: .reading) { store in
            let file: WholeFile
            do throws(HistoryFileFailure) {
                file = try WholeFile(path)
            } catch {
                throw CommandError(error)
            }
            do throws(StoreError) {
                try await store.export { bytes throws(StoreError) in try file.write(bytes) }
            } catch {
                file.discard()
                // The failure concerns the disk of the file, not that of the store.
                if error.code == .diskFull || error.code == .system { throw CommandError(WholeFile.failure(path)) }
                throw CommandError(store: error, at: store.path)
            }
            do throws(HistoryFileFailure) {
                try file.finish()
            } catch {
                throw CommandError(error)
            }
            if let path {
                invocation.show(localized("Written to %@.", path), json: ["event": "exported", "path": .string(path)])
            }
        }
    }

    static let `import` = Command(
        name: "import", synopsis: "FILE|-",
        summary: "import a file of `export` in addition to what is here; nothing is sent",
        connects: false, usesProfile: true
    ) { invocation in
        guard let path = invocation.arguments.first, invocation.arguments.count == 1 else {
            throw CommandError.usage(localized("Give one file."))
        }
        let reader: ImportedLines
        do throws(HistoryFileFailure) {
            reader = ImportedLines(try LineReader(path))
        } catch {
            throw CommandError(error)
        }
        try await invocation.profile.withStore(for: .writing) { store in
            let report: ImportReport
            do throws(StoreError) {
                report = try await store.importLines(reader)
            } catch {
                switch error.code {
                case .invalidImport:
                    throw CommandError.failed(
                        localized(
                            "Line %@ of %@ does not belong to an export; the lines before it were imported.",
                            reader.lastNumber, path))
                case .tooNew:
                    throw CommandError.failed(
                        localized("%@ was written by a newer version of this program; use that one.", path))
                case .system: throw CommandError.failed(localized("The file %@ cannot be read.", path))
                default: throw CommandError(store: error, at: store.path)
                }
            }
            invocation.show(
                localized("%@ imported, %@ were already here.", report.added, report.known),
                json: ["event": "imported", "added": .integer(report.added), "known": .integer(report.known)])
        }
    }
}

extension CommandError {
    init(_ failure: HistoryFileFailure) { self = .failed(failure.message) }
}
