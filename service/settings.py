"""What an operator can set, from environment variables of the same names."""

from pydantic import Field
from pydantic_settings import BaseSettings


class Settings(BaseSettings):
    """Settings of one process.

    Raises:
        pydantic.ValidationError: a variable has a value that would not do.
    """

    host: str = Field(default="127.0.0.1", min_length=1, description="address to listen on")
    port: int = Field(default=8000, ge=0, le=65535, description="port to listen on; 0 takes a free one")
    batch_limit: int = Field(default=1000, ge=1, le=10_000, description="most evaluations of one batch")
    body_limit: int = Field(default=1_000_000, ge=1_000, description="largest request body in bytes")
