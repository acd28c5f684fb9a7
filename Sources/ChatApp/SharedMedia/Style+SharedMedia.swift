extension Style {
    static let sharedMedia = """
        .tiles { background: none; padding: 6px; }
        .tiles > child { padding: 3px; border-radius: 12px; background: none; }
        .tiles > child:hover .photo { opacity: 0.85; }
        .tiles > child:focus-visible { outline: 2px solid @accent_color; outline-offset: -2px; }
        .shared-picture { padding: 0; border-radius: 12px; }
        .shared-picture:hover .photo { opacity: 0.85; }
        .shared-file > button { padding-left: 0; padding-right: 6px; }
        .shared-files { background: none; padding: 6px; }
        .shared-files > row { border-radius: 12px; padding: 0; margin: 1px 0; }

        """
}
