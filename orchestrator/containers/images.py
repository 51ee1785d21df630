"""The images of the container engine, by the Docker SDK, which is imported only where it is used."""

from typing import Any


class ImageError(Exception):
    """An image cannot be used: no engine answers, or it has none such; the message says what to do."""


def engine() -> Any:
    """Return a client of the container engine.

    Raises:
        ImageError: none answers.
    """
    import docker
    from docker.errors import DockerException

    try:
        client = docker.from_env()
        client.ping()
    except DockerException as error:
        raise ImageError(f"no container engine answers ({error}): start one, or name it in DOCKER_HOST") from error
    return client


def find(client: Any, image: str) -> Any:
    """Return an image of the engine.

    Raises:
        ImageError: it is not there, or was built for another CPU.
    """
    from docker.errors import DockerException, ImageNotFound

    try:
        found = client.images.get(image)
    except ImageNotFound as error:
        raise ImageError(f"the engine has no image {image}: build it, or get it with: docker pull {image}") from error
    except DockerException as error:
        raise ImageError(f"{image!r} is no image: {getattr(error, 'explanation', None) or error}") from error
    built, runs = found.attrs["Architecture"], client.version()["Arch"]
    if built != runs:
        raise ImageError(
            f"{image} was built for {built}, and this engine runs {runs}: build it with --platform linux/{runs}",
        )
    return found


def is_one(image: str) -> bool:
    """Whether an engine answers and has an image of that name, of whatever kind."""
    try:
        client = engine()
    except (ImageError, ImportError):
        return False
    from docker.errors import DockerException

    try:
        client.images.get(image)
    except DockerException:
        return False
    finally:
        client.close()
    return True
