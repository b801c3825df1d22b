//! The icons, as strokes and fills in a box of 24 by 24.

use tiny_skia::{Path, PathBuilder, Transform};

use super::canvas::{Band, rounded};
use super::item::Rgba;
use crate::geometry::Rect;
use crate::sim::app::IconName;

/// A piece of an icon.
enum Piece {
    /// A line through points.
    Line(&'static [(f32, f32)]),
    /// The filled shape between points.
    Shape(&'static [(f32, f32)]),
    Ring(f32, f32, f32),
    Disc(f32, f32, f32),
    /// x, y, width, height, radius.
    Frame(f32, f32, f32, f32, f32),
    Block(f32, f32, f32, f32, f32),
    /// Centre, radius, from and to in degrees, clockwise from the right.
    Arc(f32, f32, f32, f32, f32),
    /// Cubic curves: the start, then handle, handle, end; stroked.
    Curve(&'static [(f32, f32)]),
    /// The same, filled.
    Drop(&'static [(f32, f32)]),
    /// The same as `Disc`, cut out of what is below.
    Hole(f32, f32, f32),
}

use Piece::{Arc, Block, Curve, Disc, Drop, Frame, Hole, Line, Ring, Shape};

const STROKE: f64 = 1.9;

/// Draws an icon into a rectangle, keeping it square.
pub(super) fn draw(band: &mut Band, icon: IconName, rect: Rect, color: Rgba) {
    let side = rect.width.min(rect.height);
    let scale = (side / 24.0) as f32;
    let (x, y) = (rect.x + (rect.width - side) / 2.0, rect.y + (rect.height - side) / 2.0);
    let transform = Transform::from_row(scale, 0.0, 0.0, scale, x as f32, y as f32);
    let pieces = pieces(icon);
    // holes need their neighbours in one path
    if pieces.iter().any(|p| matches!(p, Hole(..))) {
        let mut builder = PathBuilder::new();
        pieces.iter().filter_map(|p| path(p).map(|(path, _)| path)).for_each(|p| builder.push_path(&p));
        if let Some(path) = builder.finish() {
            band.fill_even_odd(&path, color, transform);
        }
        return;
    }
    for (path, filled) in pieces.iter().filter_map(path) {
        if filled {
            band.fill_even_odd(&path, color, transform);
        } else {
            band.stroke_at(&path, STROKE, color, transform);
        }
    }
}

/// The path of a piece, and whether it is filled.
fn path(piece: &Piece) -> Option<(Path, bool)> {
    let mut builder = PathBuilder::new();
    let filled = match *piece {
        Line(points) | Shape(points) => {
            for (i, (x, y)) in points.iter().enumerate() {
                if i == 0 { builder.move_to(*x, *y) } else { builder.line_to(*x, *y) }
            }
            matches!(piece, Shape(_))
        }
        Ring(x, y, r) | Disc(x, y, r) | Hole(x, y, r) => {
            builder.push_circle(x, y, r);
            !matches!(piece, Ring(..))
        }
        Frame(x, y, w, h, r) | Block(x, y, w, h, r) => {
            let [x, y, w, h, r] = [x, y, w, h, r].map(f64::from);
            return rounded(Rect::new(x, y, w, h), r).map(|p| (p, matches!(piece, Block(..))));
        }
        Arc(x, y, r, from, to) => {
            let steps = 24;
            for i in 0..=steps {
                let angle = (from + (to - from) * i as f32 / steps as f32).to_radians();
                let (px, py) = (x + r * angle.cos(), y + r * angle.sin());
                if i == 0 { builder.move_to(px, py) } else { builder.line_to(px, py) }
            }
            false
        }
        Curve(points) | Drop(points) => {
            let (first, rest) = points.split_first()?;
            builder.move_to(first.0, first.1);
            for [a, b, to] in rest.as_chunks::<3>().0 {
                builder.cubic_to(a.0, a.1, b.0, b.1, to.0, to.1);
            }
            matches!(piece, Drop(_))
        }
    };
    if matches!(piece, Shape(_) | Drop(_)) {
        builder.close();
    }
    builder.finish().map(|p| (p, filled))
}

const HEART: &[(f32, f32)] = &[
    (12.0, 20.5),
    (4.0, 15.0),
    (2.5, 11.5),
    (2.5, 8.6),
    (2.5, 5.6),
    (4.8, 3.6),
    (7.4, 3.6),
    (9.3, 3.6),
    (11.1, 4.7),
    (12.0, 6.4),
    (12.9, 4.7),
    (14.7, 3.6),
    (16.6, 3.6),
    (19.2, 3.6),
    (21.5, 5.6),
    (21.5, 8.6),
    (21.5, 11.5),
    (20.0, 15.0),
    (12.0, 20.5),
];

const STAR: &[(f32, f32)] = &[
    (12.0, 2.5),
    (14.8, 8.7),
    (21.5, 9.4),
    (16.5, 13.9),
    (17.9, 20.6),
    (12.0, 17.2),
    (6.1, 20.6),
    (7.5, 13.9),
    (2.5, 9.4),
    (9.2, 8.7),
    (12.0, 2.5),
];

fn pieces(icon: IconName) -> &'static [Piece] {
    match icon {
        IconName::App => &[Frame(4.0, 4.0, 16.0, 16.0, 4.0), Disc(12.0, 12.0, 3.0)],
        IconName::Magnifier => &[Ring(10.2, 10.2, 6.4), Line(&[(15.0, 15.0), (20.5, 20.5)])],
        IconName::Gear => &[
            Ring(12.0, 12.0, 6.2),
            Ring(12.0, 12.0, 2.2),
            Line(&[(12.0, 5.8), (12.0, 2.6)]),
            Line(&[(12.0, 18.2), (12.0, 21.4)]),
            Line(&[(5.8, 12.0), (2.6, 12.0)]),
            Line(&[(18.2, 12.0), (21.4, 12.0)]),
            Line(&[(7.6, 7.6), (5.4, 5.4)]),
            Line(&[(16.4, 7.6), (18.6, 5.4)]),
            Line(&[(7.6, 16.4), (5.4, 18.6)]),
            Line(&[(16.4, 16.4), (18.6, 18.6)]),
        ],
        IconName::Person => &[
            Disc(12.0, 7.6, 4.4),
            Drop(&[
                (3.4, 20.6),
                (3.4, 15.6),
                (7.4, 13.8),
                (12.0, 13.8),
                (16.6, 13.8),
                (20.6, 15.6),
                (20.6, 20.6),
                (20.6, 21.4),
                (3.4, 21.4),
                (3.4, 20.6),
            ]),
        ],
        IconName::Cart => &[
            Line(&[(2.0, 4.0), (4.8, 4.0), (7.6, 15.6), (18.6, 15.6), (21.2, 7.2), (5.6, 7.2)]),
            Disc(9.0, 19.6, 1.7),
            Disc(17.2, 19.6, 1.7),
        ],
        IconName::House => &[
            Line(&[(2.6, 11.6), (12.0, 3.4), (21.4, 11.6)]),
            Line(&[(5.2, 9.8), (5.2, 20.4), (18.8, 20.4), (18.8, 9.8)]),
            Line(&[(9.8, 20.2), (9.8, 14.4), (14.2, 14.4), (14.2, 20.2)]),
        ],
        IconName::Heart => &[Curve(HEART)],
        IconName::HeartFill => &[Drop(HEART)],
        IconName::Star => &[Line(STAR)],
        IconName::StarFill => &[Shape(STAR), Line(STAR)],
        IconName::Plus => &[Line(&[(12.0, 4.0), (12.0, 20.0)]), Line(&[(4.0, 12.0), (20.0, 12.0)])],
        IconName::Minus => &[Line(&[(4.0, 12.0), (20.0, 12.0)])],
        IconName::Xmark => &[Line(&[(5.0, 5.0), (19.0, 19.0)]), Line(&[(19.0, 5.0), (5.0, 19.0)])],
        IconName::Trash => &[
            Line(&[(3.6, 6.2), (20.4, 6.2)]),
            Line(&[(8.8, 6.0), (9.4, 3.2), (14.6, 3.2), (15.2, 6.0)]),
            Line(&[(5.4, 6.4), (6.6, 21.0), (17.4, 21.0), (18.6, 6.4)]),
            Line(&[(10.0, 10.0), (10.3, 17.2)]),
            Line(&[(14.0, 10.0), (13.7, 17.2)]),
        ],
        IconName::Bell => &[
            Curve(&[
                (3.8, 17.4),
                (6.6, 15.0),
                (6.2, 12.4),
                (6.2, 9.6),
                (6.2, 6.2),
                (8.8, 3.8),
                (12.0, 3.8),
                (15.2, 3.8),
                (17.8, 6.2),
                (17.8, 9.6),
                (17.8, 12.4),
                (17.4, 15.0),
                (20.2, 17.4),
            ]),
            Line(&[(3.8, 17.4), (20.2, 17.4)]),
            Arc(12.0, 18.6, 2.6, 10.0, 170.0),
        ],
        IconName::Lock => &[
            Block(5.0, 10.6, 14.0, 10.8, 2.4),
            Arc(12.0, 8.0, 4.2, 180.0, 360.0),
            Line(&[(7.8, 8.0), (7.8, 11.0)]),
            Line(&[(16.2, 8.0), (16.2, 11.0)]),
        ],
        IconName::Wifi => &[
            Arc(12.0, 19.0, 13.4, 225.0, 315.0),
            Arc(12.0, 19.0, 9.0, 225.0, 315.0),
            Arc(12.0, 19.0, 4.8, 225.0, 315.0),
            Disc(12.0, 18.6, 1.6),
        ],
        IconName::Bluetooth => {
            &[Line(&[(7.0, 7.4), (16.6, 16.4), (12.0, 21.0), (12.0, 3.0), (16.6, 7.6), (7.0, 16.6)])]
        }
        IconName::Airplane => &[Shape(&[
            (12.0, 2.0),
            (13.6, 4.0),
            (13.6, 9.2),
            (21.6, 14.4),
            (21.6, 16.4),
            (13.6, 14.0),
            (13.6, 18.6),
            (16.4, 20.6),
            (16.4, 22.2),
            (12.0, 21.0),
            (7.6, 22.2),
            (7.6, 20.6),
            (10.4, 18.6),
            (10.4, 14.0),
            (2.4, 16.4),
            (2.4, 14.4),
            (10.4, 9.2),
            (10.4, 4.0),
        ])],
        IconName::Antenna => &[
            Line(&[(12.0, 11.0), (12.0, 21.4)]),
            Disc(12.0, 9.6, 2.2),
            Arc(12.0, 9.6, 5.2, 135.0, 225.0),
            Arc(12.0, 9.6, 5.2, -45.0, 45.0),
            Arc(12.0, 9.6, 9.0, 135.0, 225.0),
            Arc(12.0, 9.6, 9.0, -45.0, 45.0),
        ],
        IconName::Hand => &[
            Line(&[(6.0, 14.0), (6.0, 8.0)]),
            Line(&[(9.6, 12.0), (9.6, 4.6)]),
            Line(&[(13.2, 12.0), (13.2, 4.0)]),
            Line(&[(16.8, 12.0), (16.8, 6.4)]),
            Curve(&[
                (6.0, 13.0),
                (6.0, 19.0),
                (8.0, 21.0),
                (12.0, 21.0),
                (16.0, 21.0),
                (16.8, 18.0),
                (16.8, 12.0),
            ]),
        ],
        IconName::Info => &[Ring(12.0, 12.0, 9.2), Line(&[(12.0, 11.0), (12.0, 16.8)]), Disc(12.0, 7.6, 1.4)],
        IconName::Warning => &[
            Line(&[(12.0, 3.4), (21.8, 20.4), (2.2, 20.4), (12.0, 3.4)]),
            Line(&[(12.0, 9.6), (12.0, 14.4)]),
            Disc(12.0, 17.4, 1.2),
        ],
        IconName::Check => &[Line(&[(4.6, 12.8), (9.8, 18.2), (19.4, 6.0)])],
        IconName::ChevronRight => &[Line(&[(8.4, 4.4), (16.0, 12.0), (8.4, 19.6)])],
        IconName::ChevronLeft => &[Line(&[(15.6, 4.4), (8.0, 12.0), (15.6, 19.6)])],
        IconName::ChevronDown => &[Line(&[(4.4, 8.4), (12.0, 16.0), (19.6, 8.4)])],
        IconName::ChevronUp => &[Line(&[(4.4, 15.6), (12.0, 8.0), (19.6, 15.6)])],
        IconName::Ellipsis => &[Disc(5.2, 12.0, 1.9), Disc(12.0, 12.0, 1.9), Disc(18.8, 12.0, 1.9)],
        IconName::Share => &[
            Line(&[(8.4, 9.4), (5.4, 9.4), (5.4, 21.0), (18.6, 21.0), (18.6, 9.4), (15.6, 9.4)]),
            Line(&[(12.0, 15.0), (12.0, 2.8)]),
            Line(&[(8.2, 6.4), (12.0, 2.6), (15.8, 6.4)]),
        ],
        IconName::Camera => &[
            Frame(2.4, 6.6, 19.2, 13.4, 3.0),
            Ring(12.0, 13.2, 3.9),
            Line(&[(8.0, 6.4), (9.4, 4.0), (14.6, 4.0), (16.0, 6.4)]),
        ],
        IconName::Photo => &[
            Frame(2.8, 4.4, 18.4, 15.2, 2.6),
            Disc(8.2, 9.4, 1.8),
            Line(&[(3.4, 17.4), (9.4, 12.6), (12.6, 15.4), (16.4, 11.2), (20.8, 15.6)]),
        ],
        IconName::Mic => &[
            Block(8.8, 2.6, 6.4, 12.0, 3.2),
            Arc(12.0, 11.4, 6.6, 0.0, 180.0),
            Line(&[(12.0, 18.0), (12.0, 21.4)]),
        ],
        IconName::Pin => &[
            Drop(&[
                (12.0, 22.0),
                (7.0, 16.0),
                (4.8, 13.0),
                (4.8, 9.4),
                (4.8, 5.4),
                (8.0, 2.2),
                (12.0, 2.2),
                (16.0, 2.2),
                (19.2, 5.4),
                (19.2, 9.4),
                (19.2, 13.0),
                (17.0, 16.0),
                (12.0, 22.0),
            ]),
            Hole(12.0, 9.4, 2.8),
        ],
        IconName::Phone => &[Drop(&[
            (5.0, 3.2),
            (7.0, 2.2),
            (8.6, 3.0),
            (9.6, 6.8),
            (10.2, 8.8),
            (7.6, 9.4),
            (8.0, 10.4),
            (9.2, 13.0),
            (11.0, 14.8),
            (13.6, 16.0),
            (14.6, 16.4),
            (15.2, 13.8),
            (17.2, 14.4),
            (21.0, 15.4),
            (21.8, 17.0),
            (20.8, 19.0),
            (18.0, 23.0),
            (11.6, 20.2),
            (7.8, 16.2),
            (3.8, 12.4),
            (1.0, 6.0),
            (5.0, 3.2),
        ])],
        IconName::Envelope => {
            &[Frame(2.4, 5.0, 19.2, 14.2, 2.6), Line(&[(3.2, 6.6), (12.0, 13.6), (20.8, 6.6)])]
        }
        IconName::Calendar => &[
            Frame(3.4, 4.8, 17.2, 16.0, 2.6),
            Line(&[(3.4, 9.6), (20.6, 9.6)]),
            Line(&[(8.0, 2.8), (8.0, 6.2)]),
            Line(&[(16.0, 2.8), (16.0, 6.2)]),
            Disc(8.2, 14.0, 1.2),
            Disc(12.0, 14.0, 1.2),
            Disc(15.8, 14.0, 1.2),
        ],
        IconName::Clock => &[Ring(12.0, 12.0, 9.2), Line(&[(12.0, 6.4), (12.0, 12.4), (15.8, 14.6)])],
        IconName::Tag => {
            &[Shape(&[(3.0, 3.0), (12.0, 3.0), (21.4, 12.4), (12.4, 21.4), (3.0, 12.0)]), Hole(7.6, 7.6, 1.8)]
        }
        IconName::Bag => &[
            Line(&[(4.6, 7.8), (19.4, 7.8), (20.6, 21.0), (3.4, 21.0), (4.6, 7.8)]),
            Arc(12.0, 7.6, 3.9, 180.0, 360.0),
        ],
        IconName::Box => &[
            Line(&[
                (12.0, 2.6),
                (20.6, 7.0),
                (20.6, 17.0),
                (12.0, 21.4),
                (3.4, 17.0),
                (3.4, 7.0),
                (12.0, 2.6),
            ]),
            Line(&[(3.6, 7.2), (12.0, 11.6), (20.4, 7.2)]),
            Line(&[(12.0, 11.6), (12.0, 21.2)]),
        ],
        IconName::Card => &[
            Frame(2.2, 5.0, 19.6, 14.0, 2.6),
            Block(2.2, 8.2, 19.6, 2.8, 0.0),
            Line(&[(5.6, 15.2), (10.0, 15.2)]),
        ],
        IconName::Sun => &[
            Disc(12.0, 12.0, 4.6),
            Line(&[(12.0, 2.0), (12.0, 4.4)]),
            Line(&[(12.0, 19.6), (12.0, 22.0)]),
            Line(&[(2.0, 12.0), (4.4, 12.0)]),
            Line(&[(19.6, 12.0), (22.0, 12.0)]),
            Line(&[(4.9, 4.9), (6.6, 6.6)]),
            Line(&[(17.4, 17.4), (19.1, 19.1)]),
            Line(&[(4.9, 19.1), (6.6, 17.4)]),
            Line(&[(17.4, 6.6), (19.1, 4.9)]),
        ],
        IconName::Moon => &[Drop(&[
            (9.4, 2.8),
            (4.8, 4.2),
            (2.8, 8.2),
            (3.0, 12.0),
            (3.2, 17.0),
            (7.2, 21.0),
            (12.2, 21.0),
            (16.4, 21.0),
            (19.8, 18.6),
            (21.0, 14.8),
            (14.8, 17.2),
            (6.6, 12.4),
            (9.4, 2.8),
        ])],
        IconName::Speaker => &[
            Shape(&[(2.8, 9.0), (6.8, 9.0), (12.0, 4.6), (12.0, 19.4), (6.8, 15.0), (2.8, 15.0)]),
            Arc(12.0, 12.0, 4.4, -45.0, 45.0),
            Arc(12.0, 12.0, 8.4, -45.0, 45.0),
        ],
        IconName::Battery => &[
            Frame(1.8, 7.4, 17.6, 9.2, 2.6),
            Block(3.8, 9.4, 13.6, 5.2, 1.2),
            Block(20.4, 10.0, 1.8, 4.0, 0.9),
        ],
        IconName::Key => &[
            Ring(7.6, 12.0, 4.4),
            Line(&[(12.0, 12.0), (21.6, 12.0), (21.6, 15.4)]),
            Line(&[(17.8, 12.0), (17.8, 14.8)]),
        ],
        IconName::Globe => &[
            Ring(12.0, 12.0, 9.2),
            Line(&[(2.8, 12.0), (21.2, 12.0)]),
            Curve(&[(12.0, 2.8), (6.6, 8.0), (6.6, 16.0), (12.0, 21.2)]),
            Curve(&[(12.0, 2.8), (17.4, 8.0), (17.4, 16.0), (12.0, 21.2)]),
        ],
        IconName::Text => &[
            Line(&[(3.0, 18.6), (7.8, 5.4), (12.6, 18.6)]),
            Line(&[(4.8, 14.0), (10.8, 14.0)]),
            Ring(17.6, 15.2, 3.2),
            Line(&[(20.8, 11.6), (20.8, 18.6)]),
        ],
        IconName::List => &[
            Line(&[(8.4, 6.0), (20.6, 6.0)]),
            Line(&[(8.4, 12.0), (20.6, 12.0)]),
            Line(&[(8.4, 18.0), (20.6, 18.0)]),
            Disc(4.4, 6.0, 1.5),
            Disc(4.4, 12.0, 1.5),
            Disc(4.4, 18.0, 1.5),
        ],
        IconName::Grid => &[
            Block(3.4, 3.4, 7.4, 7.4, 1.8),
            Block(13.2, 3.4, 7.4, 7.4, 1.8),
            Block(3.4, 13.2, 7.4, 7.4, 1.8),
            Block(13.2, 13.2, 7.4, 7.4, 1.8),
        ],
        IconName::Play => &[Shape(&[(6.4, 3.6), (20.4, 12.0), (6.4, 20.4)])],
        IconName::Pause => &[Block(6.0, 4.0, 4.2, 16.0, 1.2), Block(13.8, 4.0, 4.2, 16.0, 1.2)],
        IconName::Bolt => {
            &[Shape(&[(13.6, 1.8), (4.6, 13.6), (11.0, 13.6), (9.8, 22.2), (19.4, 9.8), (12.8, 9.8)])]
        }
        IconName::Flame => &[Drop(&[
            (12.2, 2.0),
            (15.0, 6.2),
            (19.4, 9.0),
            (19.4, 14.6),
            (19.4, 19.0),
            (16.2, 22.0),
            (12.0, 22.0),
            (7.8, 22.0),
            (4.6, 19.0),
            (4.6, 14.8),
            (4.6, 11.6),
            (6.2, 9.4),
            (7.6, 8.0),
            (7.8, 10.0),
            (8.6, 11.0),
            (9.8, 11.4),
            (9.6, 8.0),
            (10.2, 4.6),
            (12.2, 2.0),
        ])],
        IconName::Leaf => &[
            Drop(&[
                (20.8, 3.2),
                (22.0, 12.0),
                (18.6, 19.0),
                (11.4, 19.0),
                (7.0, 19.0),
                (4.4, 16.0),
                (4.4, 12.4),
                (4.4, 6.4),
                (11.0, 4.0),
                (20.8, 3.2),
            ]),
            Line(&[(2.6, 21.4), (6.4, 16.8)]),
        ],
        IconName::Eye => &[
            Curve(&[
                (1.8, 12.0),
                (6.0, 4.0),
                (18.0, 4.0),
                (22.2, 12.0),
                (18.0, 20.0),
                (6.0, 20.0),
                (1.8, 12.0),
            ]),
            Disc(12.0, 12.0, 3.4),
        ],
        IconName::Pencil => &[
            Line(&[(4.0, 20.0), (5.2, 15.2), (16.4, 4.0), (20.0, 7.6), (8.8, 18.8), (4.0, 20.0)]),
            Line(&[(13.8, 6.6), (17.4, 10.2)]),
        ],
        IconName::Download => &[
            Line(&[(12.0, 3.0), (12.0, 15.0)]),
            Line(&[(7.4, 10.6), (12.0, 15.2), (16.6, 10.6)]),
            Line(&[(4.0, 16.6), (4.0, 20.6), (20.0, 20.6), (20.0, 16.6)]),
        ],
        IconName::Refresh => {
            &[Arc(12.0, 12.0, 8.2, -20.0, 270.0), Line(&[(8.6, 0.8), (12.4, 3.8), (8.8, 7.2)])]
        }
        IconName::Filter => &[
            Line(&[(3.4, 6.6), (20.6, 6.6)]),
            Line(&[(6.6, 12.0), (17.4, 12.0)]),
            Line(&[(9.8, 17.4), (14.2, 17.4)]),
        ],
        IconName::Door => &[
            Line(&[(10.0, 3.6), (4.4, 3.6), (4.4, 20.4), (10.0, 20.4)]),
            Line(&[(9.4, 12.0), (20.8, 12.0)]),
            Line(&[(16.4, 7.4), (21.0, 12.0), (16.4, 16.6)]),
        ],
    }
}
