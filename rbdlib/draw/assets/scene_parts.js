"use strict";
// Numbers, shapes and arrows of a scene. Everything is in metres; a body's shapes are in its own coordinates.

function bytesOf(base64) {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

/** The numbers that Python packed as multiples of step: 16 bits each, the lower byte first. */
function unpacked(base64, step, aside) {
  const bytes = bytesOf(base64);
  const view = new DataView(bytes.buffer);
  return Float64Array.from({ length: bytes.length / 2 }, (_, k) => (view.getInt16(2 * k, true) - aside) * step);
}

async function unzipped(base64) {
  const stream = new Blob([bytesOf(base64)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

const UP = [0, 1, 0];                                       // along which three.js makes cylinders and cones

function vector(values) {
  return new THREE.Vector3(...values);
}

function material(part) {
  const color = new THREE.Color(part.color);
  if (part.layer === "inertias") {
    return new THREE.MeshLambertMaterial({ color, transparent: true, opacity: 0.25, depthWrite: false });
  }
  return part.layer === "masses" ? new THREE.MeshLambertMaterial({ color, depthTest: false, transparent: true })
    : new THREE.MeshLambertMaterial({ color });
}

/** Puts a cylinder or cone of height 1 between two points. */
function stretchBetween(mesh, start, end, width = 1) {
  const along = end.clone().sub(start);
  const length = Math.max(along.length(), 1e-9);
  mesh.position.copy(start).addScaledVector(along, 0.5);
  mesh.quaternion.setFromUnitVectors(vector(UP), along.divideScalar(length));
  mesh.scale.set(width, length, width);
}

const MAKERS = {
  tube(part) {
    const mesh = new THREE.Mesh(new THREE.CylinderGeometry(part.radius, part.radius, 1, 20), material(part));
    stretchBetween(mesh, vector(part.points[0]), vector(part.points[1]));
    return mesh;
  },
  ball(part) {
    const mesh = new THREE.Mesh(new THREE.SphereGeometry(part.radius, 20, 12), material(part));
    mesh.position.set(...part.points[0]);
    return mesh;
  },
  block(part) {
    const mesh = new THREE.Mesh(new THREE.BoxGeometry(...part.sides), material(part));
    placeByMatrix(mesh, part.turn[0].map((_, row) => part.turn.map((axis) => axis[row])), part.points[0]);
    return mesh;
  },
  ellipsoid(part) {
    const mesh = new THREE.Mesh(new THREE.SphereGeometry(1, 28, 18), material(part));
    placeByMatrix(mesh, part.stretch, part.points[0]);
    return mesh;
  },
};

function placeByMatrix(mesh, rows, at) {
  const [a, b, c] = rows;
  mesh.matrix.set(...a, at[0], ...b, at[1], ...c, at[2], 0, 0, 0, 1);
  mesh.matrixAutoUpdate = false;
}

/** A name as a small sign that always faces the eye. */
function sign(text, size, color) {
  const canvas = document.createElement("canvas");
  const pen = canvas.getContext("2d");
  const font = "40px system-ui, sans-serif";
  pen.font = font;
  canvas.width = Math.ceil(pen.measureText(text).width) + 16;
  canvas.height = 56;
  pen.font = font;
  pen.lineWidth = 4;
  pen.strokeStyle = color === "#262626" ? "#ffffff" : "#14181e";
  pen.strokeText(text, 8, 42);
  pen.fillStyle = color;
  pen.fillText(text, 8, 42);
  const map = new THREE.CanvasTexture(canvas);
  map.colorSpace = "srgb";
  const sprite = new THREE.Sprite(new THREE.SpriteMaterial({ map, depthTest: false }));
  sprite.scale.set((size * canvas.width) / canvas.height, size, 1);
  return sprite;
}

/** An arrow that `aim` points along a vector; hidden where that is zero. */
class Arrow {
  constructor(color, thick) {
    const look = new THREE.MeshLambertMaterial({ color });
    this.thick = thick;
    this.shaft = new THREE.Mesh(new THREE.CylinderGeometry(thick, thick, 1, 12), look);
    this.head = new THREE.Mesh(new THREE.ConeGeometry(2.6 * thick, 1, 16), look);
    this.group = new THREE.Group();
    this.group.add(this.shaft, this.head);
  }

  aim(start, along) {
    const length = along.length();
    this.group.visible = length > 0.3 * this.thick;
    if (this.group.visible) {
      const neck = start.clone().addScaledVector(along, 1 - Math.min(6 * this.thick, 0.5 * length) / length);
      stretchBetween(this.shaft, start, neck);
      stretchBetween(this.head, neck, start.clone().add(along));
    }
  }
}

/** The lines of the ground, perpendicular to up, about the point below the middle. */
function groundLines(data) {
  const grid = new THREE.GridHelper(3 * data.size, 15, "#7f7f7f", "#7f7f7f");
  const up = vector(data.up);
  grid.material.transparent = true;
  grid.material.opacity = 0.35;
  grid.quaternion.setFromUnitVectors(vector(UP), up);
  grid.position.copy(vector(data.middle));
  grid.position.addScaledVector(up, data.ground - grid.position.dot(up));
  return grid;
}
