//! Images: a folder of files, or an array.

use std::path::{Path, PathBuf};

use image::{ImageReader, Rgb, Rgb32FImage};
use ndarray::{ArrayD, ArrayViewD, Axis, Slice};
use ndarray_npy::{ViewElement, ViewNpyError, ViewNpyExt};

use crate::error::{EncodeError, brief, unreadable};

/// Images in a fixed order, decoded when they are needed; folders name their classes.
///
/// ```
/// use unswayed_encode::Images;
///
/// let folder = tempfile::tempdir()?;
/// for name in ["cat/1.png", "cat/2.png", "dog/1.png"] {
///     let file = folder.path().join(name);
///     std::fs::create_dir_all(file.parent().unwrap())?;
///     std::fs::write(file, "a picture")?;
/// }
/// let images = Images::open(folder.path(), None)?;
/// assert_eq!(images.labels().unwrap(), ["cat", "cat", "dog"]);
/// let two = Images::open(folder.path(), Some(2))?; // one of each class
/// assert_eq!(two.labels().unwrap(), ["cat", "dog"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Images {
    path: PathBuf,
    store: Store,
    /// How many the folder or array holds, taken or not.
    total: usize,
    labels: Option<Vec<String>>,
}

#[derive(Clone, Debug)]
enum Store {
    Files(Vec<PathBuf>),
    Bytes(ArrayD<u8>),
    /// Numbers in [0, 1].
    Floats(ArrayD<f32>),
}

/// The images of one folder.
struct Class {
    name: String,
    files: Vec<PathBuf>,
}

impl Images {
    /// A folder of .png and .jpg files, or of folders of such, one for each class; or a .npy array of shape n×h×w, n×h×w×c or
    /// n×c×h×w, uint8 or float32 in [0, 1]. Of an array the first `rows` are taken, of a folder as many of each class.
    ///
    /// # Errors
    ///
    /// Refuses folders without images, and arrays of another type or shape. Files are decoded later.
    pub fn open(path: impl AsRef<Path>, rows: Option<usize>) -> Result<Images, EncodeError> {
        let path = path.as_ref();
        if path.is_dir() { Images::folder(path, rows) } else { Images::array(path, rows) }
    }

    /// The folder or file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How many there are.
    pub fn rows(&self) -> usize {
        match &self.store {
            Store::Files(files) => files.len(),
            Store::Bytes(array) => array.len_of(Axis(0)),
            Store::Floats(array) => array.len_of(Axis(0)),
        }
    }

    /// How many the folder or file holds, with those that were not asked for.
    pub fn total(&self) -> usize {
        self.total
    }

    /// The names of their folders, if there are folders.
    pub fn labels(&self) -> Option<&[String]> {
        self.labels.as_deref()
    }

    fn folder(path: &Path, rows: Option<usize>) -> Result<Images, EncodeError> {
        let folder = || path.display().to_string();
        let (loose, folders) = scan(path)?;
        let mut classes = Vec::new();
        for inner in folders {
            let (files, _) = scan(&inner)?;
            let name = inner.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if !files.is_empty() {
                classes.push(Class { name, files });
            }
        }
        let labelled = match (loose.is_empty(), classes.first()) {
            (true, None) => return Err(EncodeError::NoImages { folder: folder() }),
            (false, Some(class)) => {
                return Err(EncodeError::MixedFolder { folder: folder(), example: class.name.clone() });
            }
            (true, Some(_)) => true,
            (false, None) => false,
        };
        if !labelled {
            classes.push(Class { name: String::new(), files: loose });
        }
        let total = classes.iter().map(|class| class.files.len()).sum();
        if let Some(wanted) = rows {
            if wanted > total {
                return Err(EncodeError::TooFewRows { file: folder(), wanted, found: total });
            }
            evenly(&mut classes, wanted);
        }
        let labels =
            classes.iter().flat_map(|class| class.files.iter().map(|_| class.name.clone())).collect();
        let files = classes.into_iter().flat_map(|class| class.files).collect();
        let labels = labelled.then_some(labels);
        Ok(Images { path: path.to_owned(), store: Store::Files(files), total, labels })
    }

    fn array(path: &Path, rows: Option<usize>) -> Result<Images, EncodeError> {
        let bytes = std::fs::read(path).map_err(|error| unreadable(path, &error))?;
        let bad = |cause: String| EncodeError::Array { file: path.display().to_string(), cause };
        let bytes_or_floats = view(&bytes, rows, path, Store::Bytes).and_then(|found| {
            found.map_or_else(|| view(&bytes, rows, path, Store::Floats), |found| Ok(Some(found)))
        })?;
        let Some((store, total)) = bytes_or_floats else {
            let cause = "images must be uint8, or float32 between 0 and 1; convert them (NumPy's astype)";
            return Err(bad(cause.to_owned()));
        };
        let images = Images { path: path.to_owned(), store, total, labels: None };
        match images.shape() {
            [_, _, _] | [_, _, _, 1 | 3] | [_, 1 | 3, _, _] if !images.shape().contains(&0) => Ok(images),
            shape => Err(bad(format!(
                "an array of shape {shape:?} holds no images; use n×h×w, n×h×w×c or n×c×h×w, with 1 or 3 channels c"
            ))),
        }
    }

    /// The shape of the array; of no use for files.
    fn shape(&self) -> &[usize] {
        match &self.store {
            Store::Files(_) => &[],
            Store::Bytes(array) => array.shape(),
            Store::Floats(array) => array.shape(),
        }
    }

    /// The image's name for messages.
    pub(crate) fn place(&self, row: usize) -> String {
        match &self.store {
            Store::Files(files) => files[row].display().to_string(),
            _ => format!("{}: row {}", self.path.display(), row + 1),
        }
    }

    /// The image as numbers in [0, 1].
    pub(crate) fn decode(&self, row: usize) -> Result<Rgb32FImage, EncodeError> {
        match &self.store {
            Store::Files(files) => decode(&files[row]),
            Store::Bytes(array) => Ok(picture(&array.index_axis(Axis(0), row), |x| f32::from(x) / 255.0)),
            Store::Floats(array) => {
                let pixels = array.index_axis(Axis(0), row);
                match pixels.iter().find(|x| !(0.0..=1.0).contains(*x)) {
                    None => Ok(picture(&pixels, |x| x)),
                    Some(x) => Err(EncodeError::Row {
                        place: self.place(row),
                        cause: format!("the pixel {x} is not between 0 and 1; divide by 255, or use uint8"),
                    }),
                }
            }
        }
    }
}

/// The array, or its first rows, and how many it has; nothing if it holds another type of number.
fn view<T: ViewElement + Clone>(
    bytes: &[u8],
    rows: Option<usize>,
    path: &Path,
    store: fn(ArrayD<T>) -> Store,
) -> Result<Option<(Store, usize)>, EncodeError> {
    let file = || path.display().to_string();
    let view = match ArrayViewD::<T>::view_npy(bytes) {
        Ok(view) => view,
        Err(ViewNpyError::WrongDescriptor(_)) => return Ok(None),
        Err(error) => {
            let cause = format!("not a whole .npy file ({})", brief(&error));
            return Err(EncodeError::Array { file: file(), cause });
        }
    };
    let total = view.shape().first().copied().unwrap_or(0);
    let kept = rows.unwrap_or(total);
    if kept > total {
        return Err(EncodeError::TooFewRows { file: file(), wanted: kept, found: total });
    }
    let array = match view.ndim() {
        0 => view.to_owned(),
        _ => view.slice_axis(Axis(0), Slice::from(..kept)).to_owned(),
    };
    Ok(Some((store(array), total)))
}

/// The images in a folder and the folders in it, each sorted by name. Hidden ones do not count.
fn scan(folder: &Path) -> Result<(Vec<PathBuf>, Vec<PathBuf>), EncodeError> {
    let entries = std::fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let entries = entries.map_err(|error| unreadable(folder, &error))?;
    let hidden =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
    let mut paths: Vec<PathBuf> =
        entries.iter().map(std::fs::DirEntry::path).filter(|p| !hidden(p)).collect();
    paths.sort();
    let (folders, mut files): (Vec<_>, Vec<_>) = paths.into_iter().partition(|path| path.is_dir());
    let picture = |ending: &std::ffi::OsStr| {
        ["png", "jpg", "jpeg"].iter().any(|known| ending.eq_ignore_ascii_case(known))
    };
    files.retain(|path| path.extension().is_some_and(picture));
    Ok((files, folders))
}

/// Keeps so many images: the first of every class, the second of every class, and so on.
fn evenly(classes: &mut [Class], wanted: usize) {
    let mut kept = vec![0; classes.len()];
    let mut left = wanted;
    while left > 0 {
        for (kept, class) in kept.iter_mut().zip(&*classes) {
            if left > 0 && *kept < class.files.len() {
                *kept += 1;
                left -= 1;
            }
        }
    }
    for (kept, class) in kept.iter().zip(classes) {
        class.files.truncate(*kept);
    }
}

fn decode(path: &Path) -> Result<Rgb32FImage, EncodeError> {
    let bad = |cause| EncodeError::Undecodable { file: path.display().to_string(), cause };
    let reader = ImageReader::open(path).and_then(ImageReader::with_guessed_format);
    let image = reader.map_err(|error| unreadable(path, &error))?.decode();
    Ok(image.map_err(|error| bad(brief(&error)))?.into_rgb32f())
}

/// One image of an array: h×w, h×w×c or c×h×w.
fn picture<T: Copy>(pixels: &ArrayViewD<'_, T>, number: impl Fn(T) -> f32) -> Rgb32FImage {
    let shape = pixels.shape();
    let channels_first = shape.len() == 3 && !matches!(shape[2], 1 | 3);
    let (height, width) = if channels_first { (shape[1], shape[2]) } else { (shape[0], shape[1]) };
    Rgb32FImage::from_fn(width as u32, height as u32, |x, y| {
        let (x, y) = (x as usize, y as usize);
        Rgb([0, 1, 2].map(|c| {
            number(match *shape {
                [_, _] => pixels[[y, x]],
                [channels, _, _] if channels_first => pixels[[c.min(channels - 1), y, x]],
                _ => pixels[[y, x, c.min(shape[2] - 1)]],
            })
        }))
    })
}
