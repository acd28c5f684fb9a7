internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// A file in a bubble: name, size, and what a click does with it.
final class FileView: AttachmentView {
    let root: Widget
    private let place: AttachmentPlace
    private let progress = ProgressRing()
    private let detail = Label().textAlignment(0).css("caption")
    private let icon = Icon("text-x-generic-symbolic", size: 28)
    private let button: Button

    /// - Parameter characters: how much of the name is shown where there is room.
    init(_ place: AttachmentPlace, characters: Int = 32) {
        self.place = place
        let name = place.attachment.name ?? localized("File")
        let words = Box.vertical(
            Label(name).ellipsize(inMiddle: true).textAlignment(0).characters(maximum: characters), detail
        ).align(vertical: .center)
        button = Button(Box.horizontal(spacing: 10, icon, progress.widget, words)).css("flat").focusOnClick(false)
        root = button
        if place.attachment.kind == .video { icon.show("video-x-generic-symbolic") }
        button.accessible(label: localized("File: %@", name))
        button.onClick { [weak self] in self?.clicked() }
        observe(self) { view in view.showPhase() }
        if let download = place.download { Task { await download.look() } }
    }

    func clear() {}

    private func clicked() {
        guard let download = place.download else { return }
        switch download.phase {
        case .here: place.open(place.message, place.index)
        case .waiting, .fetching: download.cancel()
        case .unknown, .absent, .failed: download.start()
        }
    }

    private func showPhase() {
        var parts = [place.attachment.size.map { Wording.size($0) }].compactMap(\.self)
        var state: ProgressRing.State?
        if let uploaded = place.download?.uploaded {
            state = .running(uploaded)
            parts.append(localized("Uploading: %@ %", Int(uploaded * 100)))
        } else {
            switch place.download?.phase {
            case .waiting?: state = .running(0)
            case .fetching(let fraction)?: state = .running(fraction ?? 0)
            case .failed?:
                state = .failed
                parts.append(localized("Could not be fetched"))
            case .absent?: state = .offer
            case .here?, .unknown?, nil: state = nil
            }
        }
        progress.widget.isVisible = state != nil
        icon.isVisible = state == nil
        if let state { progress.show(state) }
        detail.text = parts.joined(separator: " · ")
        detail.isVisible = !parts.isEmpty
    }
}
