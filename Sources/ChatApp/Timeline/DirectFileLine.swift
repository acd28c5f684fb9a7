internal import ChatEngine
internal import ChatModel
internal import GTKBinding
internal import Localization

/// The line under a file that goes from device to device: what happens to it, and the answer to an offer.
final class DirectFileLine {
    let root: Box
    let state = Label().wrap(maximumCharacters: 36).textAlignment(0).css("caption")
    let accept = Button(localized("_Accept")).css("suggested-action").focusOnClick(false)
    let decline = Button(localized("_Decline")).focusOnClick(false)
    private let buttons: Box
    private let download: AttachmentDownload

    init(_ download: AttachmentDownload) {
        self.download = download
        buttons = Box.horizontal(spacing: 8, decline, accept).align(horizontal: .end)
        root = Box.vertical(spacing: 4, state, buttons)
        root.margins(start: 8, end: 8, top: 2, bottom: 4)
        accept.onClick { [weak self] in self?.download.start() }
        decline.onClick { [weak self] in self?.download.decline() }
        observe(self) { line in line.show() }
    }

    private func show() {
        let isOffered = download.offer == .waiting && !download.isRunning && !isHere
        buttons.isVisible = isOffered
        let text = text(isOffered)
        state.text = text ?? ""
        root.isVisible = text != nil
    }

    private var isHere: Bool { if case .here = download.phase { true } else { false } }

    private func text(_ isOffered: Bool) -> String? {
        switch download.sending {
        // The view of the file shows it.
        case .uploading?: return nil
        case let step?: return Wording.sending(step)
        case nil: break
        }
        if isOffered { return Wording.offer(.waiting) }
        switch download.phase {
        case .failed(let failure): return Wording.failure(failure)
        case .gone: return download.offer.map { Wording.offer($0) } ?? Wording.goneFile
        case .unknown, .absent, .waiting, .fetching, .here: return nil
        }
    }
}
