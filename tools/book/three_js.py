"""Makes rbdlib/draw/assets/three.js.gz, the part of three.js that `draw.scene` puts into its pages.

    python tools/book/three_js.py        fetches three and esbuild with npm into a folder of its own

The file is in the repository, so that nobody but its maintainers needs npm. Its version and licence stand beside it.
"""

import gzip
import shutil
import subprocess
import tempfile
from pathlib import Path

THREE, ESBUILD = "three@0.187.0", "esbuild@0.28.2"
ASSETS = Path(__file__).resolve().parents[2] / "rbdlib/draw/assets"
NAMES = (
    "AmbientLight", "BoxGeometry", "BufferGeometry", "CanvasTexture", "CatmullRomCurve3", "Color", "ConeGeometry",
    "CylinderGeometry", "DirectionalLight", "DoubleSide", "Float32BufferAttribute", "GridHelper", "Group",
    "HemisphereLight", "Line", "LineBasicMaterial", "LineSegments", "Matrix4", "Mesh", "MeshBasicMaterial",
    "MeshLambertMaterial", "PerspectiveCamera", "Quaternion", "Scene", "SphereGeometry", "Sprite", "SpriteMaterial",
    "TubeGeometry", "Vector3", "WebGLRenderer",
)
ENTRY = f"""export {{ {", ".join(NAMES)} }} from "three";
export {{ OrbitControls }} from "three/examples/jsm/controls/OrbitControls.js";
"""


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run(["npm", "install", "--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--prefix",
                        name, THREE, ESBUILD], check=True, cwd=folder)
        (folder / "entry.js").write_text(ENTRY)
        subprocess.run([folder / "node_modules/.bin/esbuild", "entry.js", "--bundle", "--minify", "--format=iife",
                        "--global-name=THREE", "--legal-comments=none", "--outfile=three.js"], check=True, cwd=folder)
        ASSETS.mkdir(exist_ok=True)
        (ASSETS / "three.js.gz").write_bytes(gzip.compress((folder / "three.js").read_bytes(), 9, mtime=0))
        shutil.copy(folder / "node_modules/three/LICENSE", ASSETS / "three.LICENSE.txt")
        (ASSETS / "three.version.txt").write_text(f"{THREE}, bundled by {ESBUILD}\n")


if __name__ == "__main__":
    main()
