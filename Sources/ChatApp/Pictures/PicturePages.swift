/// The pictures of a viewer, oldest first, and which of them is shown.
final class PicturePages {
    private(set) var items: [PictureViewer.Item]
    private(set) var index: Int
    /// Loads the pictures before `oldest`, oldest first; `nil` when all pictures are loaded.
    var loadOlder: ((_ oldest: PictureViewer.Item) async -> [PictureViewer.Item])? {
        didSet { reachedOldest() }
    }
    /// Called when older pictures were added.
    var onOlder: () -> Void = {}
    private var isLoadingOlder = false

    init(_ items: [PictureViewer.Item], at index: Int) {
        self.items = items
        self.index = min(max(0, index), max(0, items.count - 1))
    }

    /// `nil` when there are no pictures.
    var current: PictureViewer.Item? { items.indices.contains(index) ? items[index] : nil }
    var hasOlder: Bool { index > 0 }
    var hasNewer: Bool { index < items.count - 1 }

    /// Goes to another picture, at most to the first or the last one.
    ///
    /// - Returns: `false` if it is shown already.
    func move(_ count: Int) -> Bool {
        let target = min(max(0, index + count), max(0, items.count - 1))
        guard target != index else { return false }
        index = target
        return true
    }

    /// Loads older pictures when the first one is shown, before the user asks for them.
    func reachedOldest() {
        guard index == 0, let loadOlder, !isLoadingOlder, let first = items.first else { return }
        isLoadingOlder = true
        Task { [weak self] in
            let older = await loadOlder(first)
            guard let self else { return }
            self.isLoadingOlder = false
            guard !older.isEmpty, self.items.first?.id == first.id else { return }
            self.items.insert(contentsOf: older, at: 0)
            self.index += older.count
            self.onOlder()
        }
    }
}
