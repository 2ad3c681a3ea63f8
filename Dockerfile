# One image for web and worker; docker-compose.yml says which of them it becomes.
FROM python:3.11-slim-bookworm

RUN apt-get update \
    && apt-get install -y --no-install-recommends git openssh-client \
    && rm -rf /var/lib/apt/lists/*

WORKDIR /app

# PyTorch without CUDA, from its own index: several gigabytes less.
RUN pip install --no-cache-dir --index-url https://download.pytorch.org/whl/cpu "torch>=2.6,<=2.13.0"

# What changes seldom comes first, so that a change of code keeps these layers.
COPY pyproject.toml README.md LICENSE ./
RUN pip install --no-cache-dir ".[onnx,postgres]"

COPY manage.py ./
COPY codesearch codesearch
COPY indexer indexer
COPY templates templates
COPY static static

RUN useradd --uid 10001 --create-home codesearch \
    && install --directory --owner codesearch --group codesearch --mode 0700 /data
USER codesearch

ENV CODESEARCH_DATA=/data \
    CODESEARCH_ADDRESS=0.0.0.0 \
    PYTHONUNBUFFERED=1
VOLUME /data
EXPOSE 8000

CMD ["python", "manage.py", "serve"]
