"""Real Unity packages with their history: which ones, and each change of a script in them.

A package is a public git repository, cloned at run time into the user's cache (below
``unity-snippet/histories``) or taken from a folder that :data:`FOLDER_VARIABLE` names. One version
and the next are one commit and the next, on the first-parent line. Nothing of it is copied here.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from roslyn_server.toolchains.packages import FetchError

FOLDER_VARIABLE = "UNITY_SNIPPET_HISTORIES"
"""Environment variable: a folder of clones, ``OWNER+NAME`` each, that are used as they are."""

TUNING_PACKAGES = (
    "Cysharp/UniTask",
    "neuecc/UniRx",
    "modesttree/Zenject",
    "yasirkula/UnityIngameDebugConsole",
    "MirrorNetworking/Mirror",
    "needle-mirror/com.unity.inputsystem",
    "needle-mirror/com.unity.cinemachine",
    "needle-mirror/com.unity.addressables",
    "needle-mirror/com.unity.timeline",
    "needle-mirror/com.unity.netcode.gameobjects",
    "needle-mirror/com.unity.localization",
    "needle-mirror/com.unity.entities",
    "needle-mirror/com.unity.xr.interaction.toolkit",
    "needle-mirror/com.unity.visualscripting",
    "needle-mirror/com.unity.probuilder",
    "needle-mirror/com.unity.recorder",
    "needle-mirror/com.unity.ml-agents",
    "needle-mirror/com.unity.render-pipelines.universal",
    "needle-mirror/com.unity.netcode",
    "needle-mirror/com.unity.physics",
    "needle-mirror/com.unity.test-framework",
    "needle-mirror/com.unity.memoryprofiler",
    "needle-mirror/com.unity.transport",
    "needle-mirror/com.unity.splines",
    "needle-mirror/com.unity.render-pipelines.high-definition",
    "needle-mirror/com.unity.shadergraph",
    "needle-mirror/com.unity.collections",
    "needle-mirror/com.unity.2d.animation",
    "needle-mirror/com.unity.xr.arfoundation",
    "needle-mirror/com.unity.burst",
    "needle-mirror/com.unity.ugui",
    "needle-mirror/com.unity.scriptablebuildpipeline",
    "needle-mirror/com.unity.animation.rigging",
    "needle-mirror/com.unity.xr.openxr",
    "needle-mirror/com.unity.purchasing",
    "needle-mirror/com.unity.sentis",
    "needle-mirror/com.unity.collab-proxy",
    "needle-mirror/com.unity.dt.app-ui",
    "needle-mirror/com.unity.live-capture",
    "needle-mirror/com.unity.learn.iet-framework",
    "needle-mirror/com.unity.multiplayer.tools",
    "needle-mirror/com.unity.cloud.gltfast",
    "needle-mirror/com.unity.polybrush",
    "needle-mirror/com.unity.adaptiveperformance",
    "needle-mirror/com.unity.reflect",
    "needle-mirror/com.unity.cloud.assets",
    "needle-mirror/com.unity.tiny",
    "needle-mirror/com.unity.terrain-tools",
    "needle-mirror/com.unity.toonshader",
    "needle-mirror/com.unity.testframework.graphics",
    "needle-mirror/com.unity.package-validation-suite",
    "needle-mirror/com.unity.services.cloudcode",
    "needle-mirror/com.unity.mobile.android-logcat",
    "needle-mirror/com.unity.muse.chat",
    "needle-mirror/com.unity.2d.aseprite",
    "needle-mirror/com.unity.quicksearch",
    "needle-mirror/com.unity.ui.builder",
    "needle-mirror/com.unity.asset-manager-for-unity",
    "needle-mirror/com.unity.sequences",
    "needle-mirror/com.unity.behavior",
    "needle-mirror/com.unity.xr.hands",
    "needle-mirror/com.unity.film-internal-utilities",
    "needle-mirror/com.unity.entities.graphics",
    "needle-mirror/com.unity.services.economy",
    "needle-mirror/com.unity.graphtools.foundation",
    "needle-mirror/com.unity.polyspatial",
    "needle-mirror/com.unity.xr.management",
    "needle-mirror/com.unity.testtools.codecoverage",
    "needle-mirror/com.unity.kinematica",
    "needle-mirror/com.unity.game.foundation",
    "needle-mirror/com.unity.muse.common",
    "needle-mirror/com.unity.barracuda",
    "needle-mirror/com.unity.postprocessing",
    "needle-mirror/com.unity.2d.spriteshape",
    "needle-mirror/com.unity.mobile.notifications",
    "needle-mirror/com.unity.formats.alembic",
    "needle-mirror/com.unity.vectorgraphics",
    "needle-mirror/com.unity.ai.navigation",
    "needle-mirror/com.unity.services.core",
    "needle-mirror/com.unity.mathematics",
    "needle-mirror/com.unity.logging",
    "needle-mirror/com.unity.services.multiplay",
    "needle-mirror/com.unity.2d.tilemap.extras",
    "needle-mirror/com.unity.device-simulator",
    "needle-mirror/com.unity.services.lobby",
    "needle-mirror/com.unity.remote-config-runtime",
    "needle-mirror/com.unity.formats.fbx",
    "needle-mirror/com.unity.services.authentication",
    "needle-mirror/com.unity.dots.editor",
    "needle-mirror/com.unity.serialization",
    "needle-mirror/com.unity.properties",
    "needle-mirror/com.unity.2d.common",
    "needle-mirror/com.unity.xr.arcore",
    "needle-mirror/com.unity.ide.rider",
    "needle-mirror/com.unity.performance.profile-analyzer",
    "needle-mirror/com.unity.animation",
    "needle-mirror/com.unity.ai.planner",
    "needle-mirror/com.unity.dataflowgraph",
    "needle-mirror/com.unity.ai.generators",
    "needle-mirror/com.unity.game-foundation",
    "needle-mirror/com.unity.cloud.identity",
    "needle-mirror/com.unity.cloud.common",
    "needle-mirror/com.unity.graphtoolkit",
    "needle-mirror/com.unity.runtime-scene-serialization",
    "needle-mirror/com.unity.2d.entities",
    "needle-mirror/com.unity.muse.texture",
    "needle-mirror/com.unity.xr.visionos",
    "needle-mirror/com.unity.asset-store-validation",
    "needle-mirror/com.unity.purchasing.udp",
    "needle-mirror/com.unity.ui",
    "needle-mirror/com.unity.muse.sprite",
    "needle-mirror/com.unity.xr.core-utils",
    "needle-mirror/com.unity.xr.arkit",
    "needle-mirror/com.unity.services.analytics",
    "needle-mirror/com.unity.visualeffectgraph",
    "needle-mirror/com.unity.render-pipelines.core",
    "needle-mirror/com.unity.test-framework.performance",
    "needle-mirror/com.unity.settings-manager",
    "needle-mirror/com.unity.services.cloudsave",
    "needle-mirror/com.unity.services.relay",
    "needle-mirror/com.unity.ide.visualstudio",
    "needle-mirror/com.unity.2d.psdimporter",
    "needle-mirror/com.unity.xr.oculus",
    "needle-mirror/com.unity.rendering.hybrid",
    "needle-mirror/com.unity.xr.meta-openxr",
    "needle-mirror/com.unity.platforms",
    "needle-mirror/com.unity.analytics",
    "needle-mirror/com.unity.xr.windowsmr",
    "needle-mirror/com.unity.xr.magicleap",
    "needle-mirror/com.unity.cloud.draco",
    "needle-mirror/com.unity.selection-groups",
    "needle-mirror/com.unity.streaming-image-sequence",
    "needle-mirror/com.unity.searcher",
    "needle-mirror/com.unity.services.ccd.management",
    "needle-mirror/com.unity.charactercontroller",
    "needle-mirror/com.unity.textmeshpro",
    "needle-mirror/com.unity.multiplayer-hlapi",
    "needle-mirror/com.unity.xr.legacyinputhelpers",
    "needle-mirror/com.unity.connect.share",
    "needle-mirror/com.unity.meshsync",
    "needle-mirror/com.unity.2d.path",
    "needle-mirror/com.unity.services.push-notifications",
    "needle-mirror/com.unity.ide.vscode",
    "needle-mirror/com.unity.polyspatial.visionos",
    "needle-mirror/com.unity.polyspatial.xr",
    "needle-mirror/com.unity.simulation.capture",
    "needle-mirror/com.unity.scripting.python",
    "needle-mirror/com.unity.ai.assistant",
    "needle-mirror/com.unity.ai.inference",
    "needle-mirror/com.unity.ai.toolkit",
    "needle-mirror/com.unity.upm.develop",
    "needle-mirror/com.unity.platforms.android",
    "needle-mirror/com.unity.2d.ik",
    "needle-mirror/com.unity.jobs",
    "needle-mirror/com.unity.scene-template",
    "needle-mirror/com.unity.simulation.games",
    "needle-mirror/com.unity.assetbundlebrowser",
    "needle-mirror/com.unity.cloud.ktx",
    "needle-mirror/com.unity.formats.usd",
    "needle-mirror/com.unity.webrtc",
    "needle-mirror/com.unity.renderstreaming",
    "needle-mirror/com.unity.project-auditor",
    "needle-mirror/com.unity.xr.arsubsystems",
    "needle-mirror/com.unity.dots.runtime",
    "needle-mirror/com.unity.multiplayer.center",
    "needle-mirror/com.unity.xr.compositionlayers",
    "needle-mirror/com.unity.2d.pixel-perfect",
    "needle-mirror/com.unity.anime-toolbox",
    "needle-mirror/com.unity.aovrecorder",
    "needle-mirror/com.unity.build-report-inspector",
    "needle-mirror/com.unity.editorcoroutines",
    "needle-mirror/com.unity.polyspatial.extensions",
    "needle-mirror/com.unity.progrids",
    "needle-mirror/com.unity.properties.ui",
    "needle-mirror/com.unity.services.qos",
    "needle-mirror/com.unity.services.wire",
    "needle-mirror/com.unity.sharp-zip-lib",
    "needle-mirror/com.unity.xr.arkit-face-tracking",
    "needle-mirror/com.unity.xr.mock-hmd",
    "Cysharp/R3",
    "Cysharp/MessagePipe",
    "annulusgames/LitMotion",
    "Siccity/xNode",
    "dbrizov/NaughtyAttributes",
    "Deadcows/MyBox",
    "Haruma-K/UnityScreenNavigator",
    "yasirkula/UnityRuntimeInspector",
    "mob-sakai/ParticleEffectForUGUI",
    "Unity-Technologies/com.unity.multiplayer.samples.coop",
    "Unity-Technologies/AssetGraph",
    "FirstGearGames/FishNet",
    "sebas77/Svelto.ECS",
    "CoplayDev/unity-mcp",
    "gree/unity-webview",
    "PlayFab/UnitySDK",
    "vrm-c/UniVRM",
    "hadashiA/VContainer",
    "CesiumGS/cesium-unity",
    "KhronosGroup/UnityGLTF",
    "bdunderscore/modular-avatar",
    "GlitchEnzo/NuGetForUnity",
    "Unity-UI-Extensions/com.unity.uiextensions",
    "IvanMurzak/Unity-MCP",
)
"""Packages that answers are improved on; some were held out until their misses had been looked at.
"""

HELD_OUT_PACKAGES = (
    "MessagePack-CSharp/MessagePack-CSharp",
    "Cysharp/MagicOnion",
    "Cysharp/MemoryPack",
    "googlesamples/unity-jar-resolver",
    "rlabrecque/Steamworks.NET",
    "facebook/facebook-sdk-for-unity",
    "mob-sakai/UIEffect",
    "mapbox/mapbox-unity-sdk",
)
"""Packages that nobody looks at while improving: the figures that are shown come from them.

Each repository is a package's own history, commit by commit.
"""

_CLONING_SECONDS = 1_800
_NEWEST_COMMITS = 3_000


@dataclass(frozen=True, slots=True)
class Change:
    """A script as one version has it, and as the next one does."""

    package: str
    path: str
    old: bytes
    new: bytes


def history(package: str) -> Path:
    """Return the git directory of the package ``OWNER/NAME``; clone it if it is missing.

    Raises :class:`FetchError`.
    """
    folder = package.replace("/", "+")
    given = os.environ.get(FOLDER_VARIABLE)
    for kept in [Path(each) / folder for each in (given, _cache_folder()) if each]:
        for candidate in (kept, kept / "repo", kept / ".git", kept / "repo" / ".git"):
            if (candidate / "HEAD").is_file():
                return candidate
    target = _cache_folder() / folder
    target.parent.mkdir(parents=True, exist_ok=True)
    address = f"https://github.com/{package}.git"
    try:
        done = subprocess.run(
            ["git", "clone", "--quiet", "--bare", address, str(target)],
            capture_output=True,
            text=True,
            timeout=_CLONING_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise FetchError(f"{package}: git did not run to its end: {error}") from error
    if done.returncode != 0:
        raise FetchError(
            f"{package}: git could not clone {address}. Clone it elsewhere and set "
            f"{FOLDER_VARIABLE} to the folder that holds it as {folder}."
        )
    return target


def changes(package: str) -> Iterator[Change]:
    """Yield each change of a script from one commit to the next, the newest first.

    Raises :class:`FetchError`.
    """
    git = ["git", f"--git-dir={history(package)}"]
    command = [*git, "log", "--first-parent", "--diff-merges=first-parent", "--no-renames"]
    command += ["--raw", "--no-abbrev", "--diff-filter=M", "--format=", "-z"]
    command += [f"--max-count={_NEWEST_COMMITS}", "HEAD", "--", "*.cs"]
    fields = subprocess.run(command, capture_output=True, check=True).stdout.split(b"\0")
    entries = [
        (header.split(), path.decode("utf-8", "replace"))
        for header, path in zip(fields[::2], fields[1::2], strict=False)
    ]
    with subprocess.Popen(
        [*git, "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as objects:
        for (_, _, old, new, *_), path in entries:
            yield Change(package, path, _blob(objects, old), _blob(objects, new))
        assert objects.stdin is not None
        objects.stdin.close()


def _blob(objects: subprocess.Popen[bytes], name: bytes) -> bytes:
    assert objects.stdin is not None
    assert objects.stdout is not None
    objects.stdin.write(name + b"\n")
    objects.stdin.flush()
    *_, size = objects.stdout.readline().split()
    if size == b"missing":
        return b""
    data = objects.stdout.read(int(size))
    objects.stdout.read(1)
    return data


def _cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "unity-snippet" / "histories"
