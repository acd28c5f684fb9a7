extension Style {
    /// The dot says by its shape, too, what its colour says.
    static let contacts = """
        .contact-heading { font-size: 85%; font-weight: 700; padding: 10px 8px 2px 8px; }
        .contact-more { opacity: 0.55; }
        row:hover .contact-more, .contact-more:focus, .contact-more:hover { opacity: 1; }
        .presence-dot { min-width: 9px; min-height: 9px; border-radius: 99px; border: 2px solid @window_bg_color;
            background: @window_bg_color; }
        .presence-dot.large { min-width: 18px; min-height: 18px; border-width: 4px; }
        .presence-dot.own { min-width: 14px; min-height: 14px; border: none; background: none; }
        .presence-dot.online { background: @success_color; }
        .presence-dot.away { background: linear-gradient(90deg, @warning_color 50%, @window_bg_color 50%);
            box-shadow: inset 0 0 0 2px @warning_color; }
        .presence-dot.busy { background: linear-gradient(0deg, @error_color 40%, @window_bg_color 40%,
            @window_bg_color 60%, @error_color 60%); box-shadow: inset 0 0 0 2px @error_color; }
        .presence-dot.offline { box-shadow: inset 0 0 0 2px alpha(@window_fg_color, 0.45); }
        .contact-card { padding: 12px; }
        .request-bar { padding: 8px; background: alpha(@accent_bg_color, 0.16);
            border-top: 1px solid alpha(@accent_color, 0.35); }

        """
}
