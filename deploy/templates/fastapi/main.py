import os
from datetime import datetime, timezone

from fastapi import FastAPI
from pydantic import BaseModel, Field

app = FastAPI(title="My API")


class Order(BaseModel):
    item: str = Field(min_length=1, max_length=100)
    count: int = Field(ge=1, le=1000)


@app.get("/")
def home():
    return {"release": os.environ.get("SVC_RELEASE", "dev"), "time": datetime.now(timezone.utc).isoformat()}


@app.get("/health")
def health():
    return {"status": "ok"}


@app.post("/orders", status_code=201)
def create_order(order: Order):
    return {"item": order.item, "count": order.count}
